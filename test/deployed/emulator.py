"""ministack 1.5.33, in which these gaps are filled so that it takes the whole stack.

Each line says what AWS does; `SHIMS` below has a function for each, in this order.

 1. CloudFormation makes Athena's named queries.
 2. CloudFormation makes saved queries of CloudWatch Logs; here they are remembered, since nothing reads them.
 3. Alarms may be on an expression of metrics; here they are made on the metric inside it.
 4. CloudFormation tags buckets; CDK's function empties only a bucket that has its tag.
 5. A function's https requests to another port of this machine stay https: the sandbox answers there.
 6. A failed function's `errorType` is the name of its error; that of one whose process died is `Runtime.ExitError`.
 7. Athena speaks Trino's SQL: date_add('day', n, x) is put into DuckDB's words.
 8. Athena reads Glue's views: the definition takes the place of the view's name.
 9. IAM compares events:source, of which a request has several, and events:detail-type with those of PutEvents.
10. IAM checks DescribeMapRun on the map run, a query of Athena on its workgroup, one of logs on its group, GetSchedule on
    the schedule, GetDashboard on the dashboard.
11. Ref of a secret is its ARN; CloudFormation makes one without a value without a version.
"""

import base64
import json
import re
import sys

from ministack.core import iam_actions, lambda_runtime
from ministack.services import athena, glue, lambda_svc
from ministack.services.cloudformation import provisioners


def named_queries():
    def create(logical_id, props, stack_name):
        answer = athena._create_named_query(props)
        query_id = json.loads(answer[2] if isinstance(answer, tuple) else answer)["NamedQueryId"]
        return query_id, {"NamedQueryId": query_id}

    def delete(physical_id, props):
        athena._delete_named_query({"NamedQueryId": physical_id})

    # Without an update: of a changed one, CloudFormation makes another.
    provisioners._RESOURCE_HANDLERS["AWS::Athena::NamedQuery"] = {"create": create, "delete": delete}


def saved_log_queries():
    def create(logical_id, props, stack_name):
        missing = [name for name in ("Name", "QueryString") if not props.get(name)]
        if missing:
            raise ValueError(f"Property validation failure: {missing} required")
        query_id = provisioners.new_uuid()
        return query_id, {"QueryDefinitionId": query_id}

    provisioners._RESOURCE_HANDLERS["AWS::Logs::QueryDefinition"] = {
        "create": create,
        "update": lambda physical_id, old, new, stack, logical_id=None: (physical_id, {"QueryDefinitionId": physical_id}),
        "delete": lambda physical_id, props: None,
    }


def alarms_on_expressions():
    record = provisioners._cw_metric_alarm_record

    def record_of_any(name, props):
        if props.get("Metrics"):
            stat = next(metric["MetricStat"] for metric in props["Metrics"] if "MetricStat" in metric)
            props = {
                **{key: value for key, value in props.items() if key != "Metrics"},
                "MetricName": stat["Metric"]["MetricName"],
                "Namespace": stat["Metric"]["Namespace"],
                "Dimensions": stat["Metric"].get("Dimensions", []),
                "Period": stat["Period"],
                "Statistic": stat["Stat"],
            }
        return record(name, props)

    provisioners._cw_metric_alarm_record = record_of_any


def tags_of_buckets():
    handlers = provisioners._RESOURCE_HANDLERS["AWS::S3::Bucket"]
    create = handlers["create"]

    def create_with_tags(logical_id, props, stack_name):
        made = create(logical_id, props, stack_name)
        if props.get("Tags"):
            provisioners._s3._bucket_tags[made[0]] = {tag["Key"]: tag["Value"] for tag in props["Tags"]}
        return made

    handlers["create"] = create_with_tags


def https_of_others():
    replace_in_worker(
        'if (host === "127.0.0.1" || host === "localhost" || host === msHost\n'
        "        || (advertised && host === advertised)) {",
        'if ((!options.port || [443, msPort].includes(Number(options.port))) && (host === "127.0.0.1"'
        ' || host === "localhost" || host === msHost || (advertised && host === advertised))) {',
    )


def error_types():
    replace_in_worker(
        'status: "error", error: String(err.message || err), trace: err.stack || ""',
        'status: "error", error: String(err.message || err), trace: err.stack || "", errorType: err.name || "Error"',
    )
    invoke = lambda_runtime.Worker.invoke

    def invoke_and_name(worker, event, request_id, **named):
        answer = invoke(worker, event, request_id, **named)
        if answer.get("status") == "error":
            died = "died" in answer["error"] or "no response" in answer["error"]
            answer["error"] = NamedText(answer["error"], "Runtime.ExitError" if died else answer.get("errorType"))
        return answer

    lambda_runtime.Worker.invoke = invoke_and_name
    execute = lambda_svc._execute_function_warm

    def execute_and_name(func, event, request_id):
        answer = execute(func, event, request_id)
        body = answer.get("body")
        name = getattr(body.get("errorMessage"), "error_type", None) if isinstance(body, dict) else None
        if answer.get("error") and name:
            body["errorType"] = name
        return answer

    lambda_svc._execute_function_warm = execute_and_name


class NamedText(str):
    """A message with the name of its error."""

    def __new__(cls, text, error_type):
        made = super().__new__(cls, text)
        made.error_type = error_type
        return made


def replace_in_worker(old, new):
    script = lambda_runtime._NODEJS_WORKER_SCRIPT
    if old not in script:
        raise SystemExit(f"This is not the ministack that this file was written for: it has no {old!r}.")
    lambda_runtime._NODEJS_WORKER_SCRIPT = script.replace(old, new)


def trino_and_views():
    rewrite = athena._rewrite_data_paths

    async def rewrite_for_duckdb(query, database, catalog=None):
        query = re.sub(r"date_add\('day',\s*(-?\d+),\s*([\w.]+)\)", r"CAST(\2 + INTERVAL (\1) DAY AS DATE)", query)
        for ref in sorted(athena._table_references(query), key=lambda one: -one.start):
            table = glue._tables.get(f"{ref.database or database or 'default'}/{ref.table}")
            if table and table.get("TableType") == "VIRTUAL_VIEW":
                definition = re.search(r"Presto View: (\S+) \*/", table["ViewOriginalText"]).group(1)
                sql = json.loads(base64.b64decode(definition))["originalSql"]
                query = query[: ref.start] + f"({sql})" + ("" if ref.aliased else f' AS "{ref.table}"') + query[ref.end :]
        return await rewrite(query, database, catalog)

    athena._rewrite_data_paths = rewrite_for_duckdb


def keys_of_events():
    tag_context = iam_actions.request_tag_context

    def context(service, iam_action, body, query_params):
        keys = tag_context(service, iam_action, body, query_params)
        if iam_action != "events:PutEvents":
            return keys
        entries = body_of(body).get("Entries", [])
        types = [entry.get("DetailType", "") for entry in entries]
        sources = [entry.get("Source", "") for entry in entries]
        return {**keys, "events:source": sources, "events:detail-type": types[0] if len(set(types)) == 1 else types}

    iam_actions.request_tag_context = context


def resources_of_requests():
    resource_arn = iam_actions.extract_resource_arn

    def arn_of(service, method, path, headers, body, query_params, region, account_id):
        if service == "states" and "mapRunArn" in (sent := body_of(body)):
            return sent["mapRunArn"]
        if service == "athena" and "QueryExecutionId" in (sent := body_of(body)):
            group = (athena._executions.get(sent["QueryExecutionId"]) or {}).get("WorkGroup", "primary")
            return f"arn:aws:athena:{region}:{account_id}:workgroup/{group}"
        if service == "monitoring" and (name := iam_actions._param(body, query_params, "DashboardName")):
            return f"arn:aws:cloudwatch::{account_id}:dashboard/{name}"
        if service == "logs" and (names := body_of(body).get("logGroupNames")):
            return f"arn:aws:logs:{region}:{account_id}:log-group:{names[0]}:"
        if service == "scheduler" and (found := re.fullmatch(r"/schedules/([^/]+)", path)):
            group = query_params.get("groupName", "default")
            group = group[0] if isinstance(group, list) else group
            return f"arn:aws:scheduler:{region}:{account_id}:schedule/{group}/{found.group(1)}"
        return resource_arn(service, method, path, headers, body, query_params, region, account_id)

    iam_actions.extract_resource_arn = arn_of


def secrets_of_stacks():
    handlers = provisioners._RESOURCE_HANDLERS["AWS::SecretsManager::Secret"]
    create, update, delete = handlers["create"], handlers["update"], handlers["delete"]
    secrets = provisioners._sm

    def named(physical_id):
        name, secret = secrets._resolve(physical_id)
        return secret["Name"] if secret else name

    def create_by_arn(logical_id, props, stack_name):
        name, attributes = create(logical_id, props, stack_name)
        if not props.get("SecretString") and not props.get("GenerateSecretString"):
            secrets._secrets[name]["Versions"] = {}
        return attributes["Arn"], attributes

    def update_by_arn(physical_id, old, new, stack_name, logical_id=None):
        _, attributes = update(named(physical_id), old, new, stack_name, logical_id)
        return attributes.get("Arn", physical_id), attributes

    handlers["create"] = create_by_arn
    handlers["update"] = update_by_arn
    handlers["delete"] = lambda physical_id, props: delete(named(physical_id), props)


def body_of(body):
    try:
        return json.loads(body or b"{}")
    except ValueError:
        return {}


SHIMS = [
    named_queries,
    saved_log_queries,
    alarms_on_expressions,
    tags_of_buckets,
    https_of_others,
    error_types,
    trino_and_views,  # 7 and 8
    keys_of_events,
    resources_of_requests,
    secrets_of_stacks,
]

if __name__ == "__main__":
    for fill in SHIMS:
        fill()
    from ministack.app import main

    sys.exit(main())
