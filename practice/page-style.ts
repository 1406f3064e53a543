/** The style of every page: a tinted summary beside a plain form, light or dark as the reader's system is. */
export const pageStyle = `
:root {
  color-scheme: light dark;
  --page: #ffffff; --aside: #f4f5f7; --ink: #1a1d23; --quiet: #575e6b; --line: #d9dce2; --edge: #868d99;
  --accent: #1f3a5f; --accent-strong: #162b48; --on-accent: #ffffff; --ring: #2f6fdb;
  --bad: #b3261e; --bad-tint: #fdf1f0; --note: #fff6dc; --note-ink: #5c4300; --thumb: #e6e8ec;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #14171c; --aside: #1b1f26; --ink: #eef0f3; --quiet: #a3abb8; --line: #303640; --edge: #767e8c;
    --accent: #b9d0f2; --accent-strong: #d3e2f8; --on-accent: #10202f; --ring: #7fb0ff;
    --bad: #ffb4ab; --bad-tint: #35201f; --note: #352c14; --note-ink: #f3d98b; --thumb: #2a303a;
  }
}
*, *::before, *::after { box-sizing: border-box; }
body {
  margin: 0; background: var(--page); color: var(--ink);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif;
  -webkit-font-smoothing: antialiased; overflow-wrap: anywhere;
}
h1, h2, p, ul, dl, dd { margin: 0; padding: 0; }
ul { list-style: none; }
a { color: inherit; }
:focus-visible { outline: 3px solid var(--ring); outline-offset: 2px; border-radius: 6px; }
.practice { background: var(--note); color: var(--note-ink); padding: 10px 20px; text-align: center; font-size: 14px; }
.columns { display: grid; grid-template-rows: auto 1fr; min-height: calc(100vh - 41px); min-height: calc(100dvh - 41px); }
.summary { background: var(--aside); padding: 20px 20px 28px; }
.payment { padding: 28px 20px 40px; }
.summary > div, .payment > div { max-width: 440px; margin: 0 auto; }
.back {
  display: inline-flex; align-items: center; min-height: 44px; padding-right: 8px;
  color: var(--quiet); font-size: 15px; text-decoration: none;
}
.back:hover { color: var(--ink); text-decoration: underline; text-underline-offset: 3px; }
.merchant { margin-top: 12px; color: var(--quiet); font-size: 15px; font-weight: 500; }
.amount { font-size: 36px; line-height: 1.2; font-weight: 650; letter-spacing: -0.02em; font-variant-numeric: tabular-nums; }
.lines { margin-top: 20px; display: grid; gap: 14px; }
.line { display: grid; grid-template-columns: 44px 1fr auto; column-gap: 14px; align-items: start; font-size: 15px; }
.thumb {
  width: 44px; height: 44px; border-radius: 8px; overflow: hidden; background: var(--thumb); color: var(--quiet);
  display: grid; grid-template: 44px / 44px; place-items: center; font-weight: 600;
}
.thumb img { place-self: stretch; min-width: 0; min-height: 0; object-fit: cover; }
.line strong { font-weight: 500; display: block; line-height: 1.4; }
.line small { color: var(--quiet); font-size: 13px; }
.line .price { line-height: 1.4; }
.line .price, .totals dd { font-variant-numeric: tabular-nums; white-space: nowrap; }
.totals { margin-top: 20px; padding-top: 16px; border-top: 1px solid var(--line); }
.totals div { display: flex; justify-content: space-between; font-weight: 600; }
h2 { font-size: 20px; line-height: 1.3; font-weight: 600; letter-spacing: -0.01em; }
form { margin-top: 20px; display: grid; gap: 16px; }
.pair { display: grid; grid-template-columns: 1fr 1fr; gap: 16px; align-items: start; }
fieldset { border: 0; margin: 0; padding: 0; min-width: 0; display: grid; gap: 16px; }
legend { padding: 6px 0 12px; font-size: 17px; font-weight: 600; }
label { display: block; margin-bottom: 6px; font-size: 14px; font-weight: 500; }
input, select {
  width: 100%; min-height: 46px; padding: 10px 12px; font: inherit; color: inherit; background: var(--page);
  border: 1px solid var(--edge); border-radius: 8px; box-shadow: 0 1px 2px rgb(0 0 0 / 0.04);
}
#number {
  padding-right: 46px; background-repeat: no-repeat; background-position: right 12px center;
  background-image: url("data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' width='24' height='24' fill='none' stroke='%23868d99' stroke-width='1.6'%3E%3Crect x='2.5' y='5' width='19' height='14' rx='2.5'/%3E%3Cpath d='M2.5 9.5h19M6 15h4'/%3E%3C/svg%3E");
}
input::placeholder { color: var(--quiet); opacity: 1; }
input:focus-visible, select:focus-visible { outline: 3px solid var(--ring); outline-offset: 0; border-color: transparent; border-radius: 8px; }
input[aria-invalid], select[aria-invalid] { border-color: var(--bad); box-shadow: inset 0 0 0 1px var(--bad); }
.error { margin-top: 6px; color: var(--bad); font-size: 14px; line-height: 1.4; }
.alert {
  margin-top: 18px; padding: 12px 14px; border-radius: 8px; border-left: 4px solid var(--bad);
  background: var(--bad-tint); color: var(--bad); font-size: 15px; font-weight: 500;
}
button {
  min-height: 50px; padding: 12px 20px; font: inherit; font-weight: 600; cursor: pointer; width: 100%;
  border: 1px solid transparent; border-radius: 8px; background: var(--accent); color: var(--on-accent);
}
button:hover { background: var(--accent-strong); }
button:focus-visible { border-radius: 8px; }
button.second { background: transparent; color: inherit; border-color: var(--edge); font-weight: 500; }
button.second:hover { background: var(--aside); }
form > .alert { margin-top: 0; }
form > button { margin-top: 6px; }
.cards { margin-top: 28px; padding-top: 20px; border-top: 1px solid var(--line); color: var(--quiet); font-size: 14px; }
.cards p { margin-bottom: 10px; }
.cards li { display: flex; justify-content: space-between; flex-wrap: wrap; gap: 0 16px; padding: 5px 0; }
.cards code { font: 500 13px/1.6 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; color: var(--ink); white-space: nowrap; }
.message { max-width: 460px; margin: 0 auto; padding: 64px 20px; }
.message h1 { font-size: 26px; line-height: 1.25; font-weight: 650; letter-spacing: -0.015em; }
.message p { margin-top: 12px; color: var(--quiet); }
.message .back { margin-top: 20px; color: var(--ink); text-decoration: underline; text-underline-offset: 3px; }
@media (min-width: 900px) {
  .columns { grid-template: none / 1fr 1fr; }
  .summary { padding: 56px 64px; }
  .payment { padding: 64px; }
  .summary > div { margin: 0 0 0 auto; width: 100%; }
  .payment > div { margin: 0; }
  .amount { font-size: 44px; }
  .lines { max-height: 420px; overflow-y: auto; }
}
`
