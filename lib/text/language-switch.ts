/**
 * A page's script that shows one of its languages: the one asked for (the body's `data-asked`), else the one chosen
 * earlier, on any page, else the browser's, else the page's own. Each language has a button, in its own words, with its
 * `lang` and the page's title in it (`data-title`). The shared style hides what is in the other language.
 */
export const LANGUAGE_SWITCH = `(() => {
  const keptAs = 'cfe-lake-language';
  const root = document.documentElement;
  const buttons = [...document.querySelectorAll('.language')];
  const show = (button) => {
    root.lang = button.lang;
    document.title = button.dataset.title;
  };
  let kept;
  try {
    kept = localStorage.getItem(keptAs);
  } catch {}
  const wanted = [document.body.dataset.asked ?? '', kept ?? '', ...navigator.languages, root.lang];
  const named = (name) => buttons.filter(({ lang }) => lang.split('-')[0] === name.split('-')[0]);
  show(wanted.flatMap(named)[0]);
  for (const button of buttons) {
    button.hidden = false;
    button.addEventListener('click', () => {
      show(button);
      buttons.find((other) => other !== button).focus();
      try {
        localStorage.setItem(keptAs, button.lang);
      } catch {}
    });
  }
})();`;
