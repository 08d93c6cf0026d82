"""A peer: the received receipts of some days by dlt's REST source, to Parquet files in a folder.

Called with one JSON object: url, rut, token, lake (a folder), from, to, ranges (how many parts the days are
read in), threads. One range is what dlt's documentation shows; several are read at the same time.
Prints one JSON line of figures, as every workload of the benchmarks does.
"""

import json
import os
import resource
import sys
import time
from datetime import date, timedelta

STARTED = time.perf_counter()
OPTIONS = json.loads(sys.argv[1])

# dlt reads these from the environment when it is imported.
os.environ["RUNTIME__DLTHUB_TELEMETRY"] = "false"
os.environ["RUNTIME__LOG_LEVEL"] = "ERROR"
os.environ["EXTRACT__WORKERS"] = str(OPTIONS["threads"])
os.environ["EXTRACT__MAX_PARALLEL_ITEMS"] = str(OPTIONS["threads"])

import dlt  # noqa: E402
from dlt.sources.rest_api import rest_api_source  # noqa: E402


def ranges_of(first: date, last: date, count: int) -> list[tuple[date, date]]:
    """The days from first to last in so many parts, none of them empty."""
    days = (last - first).days + 1
    count = min(count, days)
    starts = [first + timedelta(days=days * part // count) for part in range(count + 1)]
    return [(start, end - timedelta(days=1)) for start, end in zip(starts, starts[1:])]


def list_of(part: int, first: date, last: date) -> dict:
    return {
        "name": f"recibidos_{part}",
        "table_name": "recibidos",
        "endpoint": {
            "path": "v2/consulta/comprobantes/recibidos",
            "params": {"FechaDesde": str(first), "FechaHasta": str(last), "PageSize": 100},
            "data_selector": "items",
            "paginator": {
                "type": "page_number",
                "base_page": 1,
                "page_param": "PageNumber",
                "total_path": None,
                "stop_after_empty_page": True,
            },
        },
    }


def milliseconds_of_cpu() -> float:
    usage = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return 1000 * sum(one.ru_utime + one.ru_stime for one in usage)


def main() -> None:
    start_up_ms = 1000 * (time.perf_counter() - STARTED)
    parts = ranges_of(date.fromisoformat(OPTIONS["from"]), date.fromisoformat(OPTIONS["to"]), OPTIONS["ranges"])
    source = rest_api_source(
        {
            "client": {
                "base_url": OPTIONS["url"],
                "headers": {"Authorization": f"Bearer {OPTIONS['token']}", "X-Emisor": OPTIONS["rut"]},
            },
            "resource_defaults": {"write_disposition": "append"},
            "resources": [list_of(part, *days) for part, days in enumerate(parts)],
        },
        parallelized=len(parts) > 1,
    )
    pipeline = dlt.pipeline(
        pipeline_name="recibidos",
        pipelines_dir=os.path.join(OPTIONS["lake"], ".dlt"),
        destination=dlt.destinations.filesystem(bucket_url=OPTIONS["lake"]),
        dataset_name="lake",
    )
    pipeline.run(source, loader_file_format="parquet")
    counts = pipeline.last_trace.last_normalize_info.row_counts
    print(
        json.dumps(
            {
                "wallMs": 1000 * (time.perf_counter() - STARTED) - start_up_ms,
                "cpuMs": milliseconds_of_cpu(),
                # In kilobytes on Linux.
                "peakMemoryMb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
                "requests": 0,
                "receipts": counts.get("recibidos", 0),
                "failed": 0,
                "written": 0,
            }
        )
    )


main()
