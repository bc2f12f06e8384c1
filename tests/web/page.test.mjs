// The report page in a real browser: everything drawn, nothing asked of the network, every control does what it says.
import assert from "node:assert/strict";
import { readFile, stat } from "node:fs/promises";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const folder = process.env.MBLL_REPORTS;
const reports = ["curve", "series", "large"];
const addressOf = (name) => pathToFileURL(`${folder}/${name}.html`).href;
let browser;

before(async () => {
  browser = await chromium.launch({
    executablePath: process.env.MBLL_CHROMIUM,
    args: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
  });
});
after(() => browser?.close());

/** Opens a report; collects what it complains about and what it asks for. */
async function open(t, name, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  t.after(() => context.close());
  const page = await context.newPage();
  const seen = { complaints: [], requests: [] };
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && seen.complaints.push(message.text()));
  page.on("pageerror", (error) => seen.complaints.push(error.stack));
  page.on("request", (request) => !/^(data|blob):/.test(request.url()) && seen.requests.push(request.url()));
  await page.goto(addressOf(name));
  return { page, seen, data: JSON.parse(await page.textContent("#data")) };
}

const figure = (page, kind) => page.locator(`figure[data-kind="${kind}"]`).first();
/** The pixels of a figure, as a string to compare. */
const pixels = (card) => card.locator("canvas").evaluate((canvas) => canvas.toDataURL());
/** How many pixels are coloured: curves, bands, bars and cells are, axes and text are grey. */
const colouredPixels = (canvas) => canvas.evaluate((node) => {
  const { data } = node.getContext("2d").getImageData(0, 0, node.width, node.height);
  let count = 0;
  for (let i = 0; i < data.length; i += 4) {
    const part = data.subarray(i, i + 3);
    if (data[i + 3] > 0 && Math.max(...part) - Math.min(...part) > 50) ++count;
  }
  return count;
});
const coloursIn = (canvas) => canvas.evaluate((node) => {
  const { data } = node.getContext("2d").getImageData(0, 0, node.width, node.height);
  return new Set(new Uint32Array(data.buffer)).size;
});

/** Waits until `holds` does: the page draws in its own time, a frame after the event. */
async function eventually(holds, message) {
  for (let attempt = 0; attempt < 60; ++attempt) {
    if (await holds()) return;
    await new Promise((resume) => setTimeout(resume, 50));
  }
  assert.fail(message ?? "did not happen within 3 s");
}
const redrawn = (card, before, message) => eventually(async () => (await pixels(card)) !== before, message);
const looksLike = (card, before, message) => eventually(async () => (await pixels(card)) === before, message);

async function drag(page, card, from, to) {
  const canvas = card.locator("canvas");
  await canvas.scrollIntoViewIfNeeded();
  const box = await canvas.boundingBox();
  const at = ([x, y]) => [box.x + x * box.width, box.y + y * box.height];
  await page.mouse.move(...at(from));
  await page.mouse.down();
  await page.mouse.move(...at(to), { steps: 4 });
  await page.mouse.up();
  await page.mouse.move(0, 0);
}

async function download(page, card, label) {
  const [file] = await Promise.all([page.waitForEvent("download"), card.getByRole("button", { name: label, exact: true }).click()]);
  return { name: file.suggestedFilename(), content: await readFile(await file.path()) };
}

for (const name of reports) {
  test(`${name}: every figure is drawn, nothing is asked for`, async (t) => {
    const { page, seen, data } = await open(t, name);
    const expected = data.sections.flatMap((section) => section.figures);
    const canvases = await page.locator("figure canvas").all();
    assert.equal(canvases.length, expected.length);
    for (const [i, canvas] of canvases.entries()) assert.ok((await colouredPixels(canvas)) > 300, `figure '${expected[i].title}' looks empty`);
    assert.deepEqual(seen.complaints, []);
    assert.deepEqual(seen.requests, [addressOf(name)]);
    t.diagnostic(`drawn after ${await page.evaluate(() => document.documentElement.dataset.drawn)} ms`);
  });
}

test("odd data is drawn without complaint", async (t) => {
  const { page, seen, data } = await open(t, "edge");
  const expected = data.sections.flatMap((section) => section.figures);
  assert.equal(await page.locator("figure canvas").count(), expected.length);
  assert.doesNotMatch(await page.locator("#page").innerText(), /NaN|undefined|Infinity|null/);
  for (let i = 0; i < expected.length; ++i) {
    const card = page.locator("figure").nth(i);
    assert.ok((await coloursIn(card.locator("canvas"))) > 2, `figure '${expected[i].title}' has no axes`);
    await card.locator("canvas").hover();
    await card.locator("canvas").press("+");
    await card.locator("canvas").press("0");
    await card.getByText("Numbers").click();
  }
  assert.deepEqual(seen.complaints, []);
});

test("a hundred thousand samples fit 3 MB and the page says what it leaves out", async (t) => {
  const { page } = await open(t, "large");
  assert.ok((await stat(`${folder}/large.html`)).size <= 3e6);
  assert.match(await page.locator(".note").first().textContent(), /^Showing [\d\u202f]+ of 100\u202f000 samples: every 25th and /);
});

test("names are shown as text, whatever they hold", async (t) => {
  const { page } = await open(t, "series");
  assert.equal(await page.locator("main b, main script").count(), 0);
  assert.match(await figure(page, "bands").locator("select").textContent(), /<\/script><b>"quoted"<\/b>/);
});

test("the parts and widths of the bands can be chosen", async (t) => {
  const { page } = await open(t, "curve");
  const card = figure(page, "bands");
  const seen = new Set([await pixels(card)]);
  for (const label of ["Total", "Noise", "Model", "3\u03c3", "1\u03c3", "Split"]) {
    await card.getByRole("button", { name: label, exact: true }).click();
    assert.equal(await card.getByRole("button", { name: label, exact: true }).getAttribute("aria-pressed"), "true");
    await eventually(async () => !seen.has(await pixels(card)), label);
    seen.add(await pixels(card));
  }
  for (const label of ["1\u03c3", "2\u03c3", "3\u03c3"]) await card.getByRole("button", { name: label, exact: true }).click();
  assert.doesNotMatch(await card.locator(".legend").textContent(), /\u03c3|undefined/);
});

test("outputs can be chosen", async (t) => {
  const { page } = await open(t, "series");
  for (const kind of ["bands", "scatter", "histogram"]) {
    const card = figure(page, kind);
    const first = await pixels(card);
    await card.locator("select").selectOption({ index: 1 });
    await redrawn(card, first);
  }
});

test("legend entries hide and show their curve", async (t) => {
  const { page } = await open(t, "curve");
  const card = figure(page, "bands");
  const first = await pixels(card);
  await card.getByRole("button", { name: "truth" }).click();
  await redrawn(card, first);
  await card.getByRole("button", { name: "truth" }).click();
  await looksLike(card, first);
});

test("hovering shows the numbers", async (t) => {
  const { page } = await open(t, "series");
  for (const kind of ["bands", "scatter", "calibration", "histogram", "lines", "heatmap"]) {
    const card = figure(page, kind);
    await card.locator("canvas").scrollIntoViewIfNeeded();
    const first = await pixels(card);
    await card.locator("canvas").hover();
    await redrawn(card, first, kind);
  }
});

test("zoom by drag, wheel and keys, and back", async (t) => {
  const { page } = await open(t, "series");
  for (const kind of ["bands", "scatter", "lines"]) {
    const card = figure(page, kind);
    const first = await pixels(card);
    const reset = card.getByRole("button", { name: "Reset zoom" });
    assert.equal(await reset.isVisible(), false);
    await drag(page, card, [0.3, 0.4], [0.6, 0.45]);
    await redrawn(card, first, `${kind}: drag`);
    await reset.click();
    await looksLike(card, first, `${kind}: reset`);
    await card.locator("canvas").focus();
    await page.keyboard.press("+");
    await eventually(() => reset.isVisible(), `${kind}: key`);
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("0");
    await looksLike(card, first, `${kind}: key 0`);
    await card.locator("canvas").hover();
    await page.keyboard.down("Control");
    await page.mouse.wheel(0, -200);
    await page.keyboard.up("Control");
    await reset.waitFor();
    await card.locator("canvas").dblclick();
    await eventually(async () => !(await reset.isVisible()), `${kind}: double click`);
    await page.mouse.move(0, 0);
  }
});

test("figures are saved as PNG, SVG and CSV", async (t) => {
  const { page, data, seen } = await open(t, "series");
  const figures = data.sections.flatMap((section) => section.figures);
  for (const kind of new Set(figures.map((each) => each.kind))) {
    const card = figure(page, kind);
    const { title } = figures.find((each) => each.kind === kind);
    const png = await download(page, card, "PNG");
    assert.match(png.name, /^[a-z0-9-]+\.png$/);
    assert.equal(png.content.subarray(1, 4).toString(), "PNG");
    assert.ok(png.content.length > 5000, title);
    const svg = (await download(page, card, "SVG")).content.toString();
    const parsed = await page.evaluate((text) => {
      const tree = new DOMParser().parseFromString(text, "image/svg+xml");
      return { errors: tree.querySelectorAll("parsererror").length, paths: tree.querySelectorAll("path").length, texts: [...tree.querySelectorAll("text")].map((node) => node.textContent) };
    }, svg);
    assert.equal(parsed.errors, 0, title);
    assert.ok(parsed.paths > 8, title);
    assert.ok(parsed.texts.includes(title), title);
    assert.doesNotMatch(svg, /NaN|undefined|Infinity/, title);
  }
  const csv = (await download(page, figure(page, "bands"), "CSV")).content.toString().trimEnd().split("\n");
  assert.equal(csv[0], "time (UTC),PM2.5 in \u00b5g/m\u00b3: mean,aleatoric sd,epistemic sd,total sd,observed");
  assert.equal(csv.length, 1 + data.sections[0].figures[0].panels[0].x.length);
  assert.match(csv[1], /^2016-12-26 00:00,/);
  assert.deepEqual(seen.complaints, []);
});

test("exporting leaves the figure as it was", async (t) => {
  const { page } = await open(t, "curve");
  const card = figure(page, "bands");
  const first = await pixels(card);
  await download(page, card, "SVG");
  await download(page, card, "PNG");
  await page.mouse.move(0, 0);
  await looksLike(card, first);
});

test("numbers stand in a table below each figure", async (t) => {
  const { page } = await open(t, "curve");
  const card = figure(page, "calibration");
  await card.getByText("Numbers").click();
  await card.locator("tbody tr").first().waitFor();
  assert.deepEqual(await card.locator("th").allTextContents(), ["level", "y"]);
  assert.match(await card.locator(".more").textContent(), /The first 12 of 99 rows/);
});

test("a phone needs no sideways scrolling", async (t) => {
  for (const name of ["curve", "series"]) {
    const { page, seen } = await open(t, name, { viewport: { width: 390, height: 800 }, hasTouch: true, isMobile: true });
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390, name);
    assert.deepEqual(seen.complaints, []);
  }
});

test("dark follows the reader's system and the button changes it", async (t) => {
  const { page } = await open(t, "curve", { colorScheme: "dark" });
  const brightness = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor.match(/\d+/g).reduce((sum, part) => sum + Number(part), 0));
  const card = figure(page, "bands");
  const dark = await pixels(card);
  assert.ok((await brightness()) < 150);
  await page.getByRole("button", { name: "switch between light and dark" }).click();
  await eventually(async () => (await brightness()) > 600, "light");
  await redrawn(card, dark);
});

test("pinching on a touch screen zooms the figure", async (t) => {
  const { page } = await open(t, "series", { viewport: { width: 390, height: 800 }, hasTouch: true });
  const card = figure(page, "bands");
  const first = await pixels(card);
  await card.locator("canvas").evaluate((canvas) => {
    const box = canvas.getBoundingClientRect();
    const send = (type, id, x) => canvas.dispatchEvent(new PointerEvent(type, { pointerId: id, pointerType: "touch", clientX: box.left + x * box.width, clientY: box.top + box.height / 2 }));
    send("pointerdown", 1, 0.45);
    send("pointerdown", 2, 0.6);
    send("pointermove", 2, 0.9);
    send("pointerup", 1, 0.45);
    send("pointerup", 2, 0.9);
  });
  await eventually(() => card.getByRole("button", { name: "Reset zoom" }).isVisible(), "pinch");
  await redrawn(card, first);
});
