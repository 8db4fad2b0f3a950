/* Python in a worker: Pyodide and the book's core, both from this site, loaded when a cell is first run. */
import { loadPyodide } from "./live/pyodide.mjs";

const home = new URL("./live/", import.meta.url).href;

const archive = (name) => fetch(home + name).then((answer) => {
  if (!answer.ok) throw new Error(`${name}: ${answer.status}`);
  return answer.arrayBuffer();
});

const ARCHIVES = ["packages.zip", "core.zip", "chapters.zip", "data.zip"];

async function start() {
  const [python, ...archives] = await Promise.all([loadPyodide({ indexURL: home }), ...ARCHIVES.map(archive)]);
  for (const each of archives) python.unpackArchive(each, "zip", { extractDir: "/lib/book" });
  python.runPython("import sys; sys.path.insert(0, '/lib/book'); import live_cell; live_cell.prepare()");
  return python.pyimport("live_cell");
}

const started = start();

self.addEventListener("message", async ({ data: { number, before, code, after } }) => {
  let cell;
  try { cell = await started; } catch (error) { self.postMessage({ number, lost: String(error) }); return; }
  self.postMessage({ number, result: JSON.parse(cell.run(before, code, after)) });
});
