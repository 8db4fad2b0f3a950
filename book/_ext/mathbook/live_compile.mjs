/* Compile an archive of Python sources with the Python that will run it: `node live_packing.mjs PYODIDE SOURCES OUT`.
 * The archive is the same for the same sources: no dates, names in order, sets in one order (PYTHONHASHSEED).
 * Packages lose their sources. The core keeps them: it looks itself through for statements, and names lines.
 */
import fs from "node:fs";
import { pathToFileURL } from "node:url";

const [pyodide, sources, out] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(pyodide).href);
const python = await loadPyodide({ env: { PYTHONHASHSEED: "0" } });
python.unpackArchive(new Uint8Array(fs.readFileSync(sources)), "zip", { extractDir: "/packed" });
python.runPython(`
import compileall, os, py_compile, re, warnings, zipfile

warnings.simplefilter("ignore")
how = {"quiet": 2, "invalidation_mode": py_compile.PycInvalidationMode.UNCHECKED_HASH}
compileall.compile_dir("/packed", legacy=True, rx=re.compile("/packed/mathcore/"), **how)
compileall.compile_dir("/packed/mathcore", **how)
with zipfile.ZipFile("/packed.zip", "w", zipfile.ZIP_DEFLATED) as archive:
    for folder, _, names in sorted(os.walk("/packed")):
        for name in sorted(names):
            path = os.path.join(folder, name)
            if not (name.endswith(".py") and os.path.exists(path + "c")):
                with open(path, "rb") as file:
                    archive.writestr(zipfile.ZipInfo(os.path.relpath(path, "/packed")), file.read(), zipfile.ZIP_DEFLATED)
`);
fs.writeFileSync(`${out}.part`, python.FS.readFile("/packed.zip"));
fs.renameSync(`${out}.part`, out);
