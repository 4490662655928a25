"""A browser, a server, and everything that goes from one to the other.

`test` sets where things are: BLINDCORE_WEB (what `build` wrote), BLINDCORE (the command line), SHOTS
(where screenshots go; none are taken without it).
"""

import base64
import json
import os
import re
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

import pytest
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.support.ui import WebDriverWait

from recorder import Recorder
from files import Files

ROOT = Path(__file__).resolve().parents[3]
PAGE = Path(os.environ["BLINDCORE_WEB"])
BLINDCORE = os.environ["BLINDCORE"]
PROGRAMS = ["salaries", "xtea", "credit", "premium", "hamming"]


def blindcore(*arguments):
    """The command line's answer; an error is the test's."""
    done = subprocess.run([BLINDCORE, *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def example(name):
    return ROOT / "examples" / name / f"{name}.elf"


class Browser:
    """Chromium, driven, with what it did on the network."""

    def __init__(self, folder, width=1280):
        self.downloads = Path(folder) / "downloads"
        self.downloads.mkdir()
        options = webdriver.ChromeOptions()
        options.binary_location = shutil.which("chromium")
        for argument in (
            "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
            "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-quic",
            "--disable-features=OptimizationHints,MediaRouter,AutofillServerCommunication",
            # There is no other address.
            "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
            f"--user-data-dir={folder}/profile", f"--window-size={width},900",
        ):  # fmt: skip
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"performance": "ALL", "browser": "ALL"})
        options.add_experimental_option("prefs", {
            "download.default_directory": str(self.downloads),
            "credentials_enable_service": False,
        })  # fmt: skip
        self.driver = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
        self.driver.set_script_timeout(240)
        self.requests = []
        self.console = []

    def logs(self):
        """Addresses that were asked for, and what the console says."""
        for entry in self.driver.get_log("performance"):
            event = json.loads(entry["message"])["message"]
            if event["method"] == "Network.requestWillBeSent":
                request = event["params"]["request"]
                # What the browser shows out of itself.
                if not request["url"].startswith(("data:", "chrome:", "chrome-untrusted:")):
                    self.requests.append(request)
        self.console += self.driver.get_log("browser")
        return self.requests, self.console

    def run(self, body, *arguments):
        """Runs JavaScript with the module as `bc`; what it throws is `Thrown`."""
        script = f"""
            const done = arguments[arguments.length - 1];
            const hex = (bytes) => [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
            const bytes = (text) => Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16));
            (async (...args) => {{
                const bc = await import("/blindcore.js");
                await bc.default();
                {body}
            }})(...arguments).then((value) => done({{ value }}), (error) => done({{ error: error.message ?? String(error), kind: error.kind ?? null }}));
        """
        result = self.driver.execute_async_script(script, *arguments)
        if "error" in result:
            raise Thrown(result["error"], result["kind"])
        return result["value"]

    def find(self, name):
        return self.driver.find_element(By.ID, name)

    def wait(self, condition, seconds=120, what="what the test waits for"):
        return WebDriverWait(self.driver, seconds, poll_frequency=0.1).until(lambda _: condition(), what)

    def text(self, selector):
        found = self.driver.find_elements(By.CSS_SELECTOR, selector)
        return " ".join(own.text for own in found)

    def shot(self, name):
        """The whole page, at both widths, if somebody wants to look."""
        folder = os.environ.get("SHOTS")
        if not folder:
            return
        for width in (400, 1280):
            metrics = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600}
            self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
            time.sleep(0.2)
            size = self.driver.execute_cdp_cmd("Page.getLayoutMetrics", {})["cssContentSize"]
            clip = {"x": 0, "y": 0, "width": width, "height": size["height"], "scale": 1}
            taken = self.driver.execute_cdp_cmd(
                "Page.captureScreenshot", {"format": "png", "captureBeyondViewport": True, "clip": clip}
            )
            Path(folder, f"{name}-{width}.png").write_bytes(base64.b64decode(taken["data"]))
        self.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})

    def close(self):
        self.driver.quit()


class Thrown(Exception):
    def __init__(self, message, kind):
        super().__init__(message)
        self.kind = kind


class Real:
    """`blindcore serve --web`."""

    def __init__(self, folder, programs):
        blindcore("tls", "init", folder / "tls")
        sections = []
        self.tokens = []
        for name in (["alice"], ["operator", "--operator"]):
            made = subprocess.run([BLINDCORE, "token", *name], capture_output=True, text=True, check=True)
            self.tokens.append(made.stdout.strip())
            sections.append(made.stderr)
        (folder / "server.toml").write_text("".join(sections))
        self.process = subprocess.Popen(
            [
                BLINDCORE, "serve", "--dir", folder / "data", "--tls", folder / "tls" / "server", "--no-metrics",
                "--listen", "127.0.0.1:0", "--web", "127.0.0.1:0", "--web-app", PAGE, "--web-programs", programs,
                "--config", folder / "server.toml",
            ],
            stdout=subprocess.PIPE, stderr=(folder / "log").open("w"), text=True,
        )  # fmt: skip
        for line in self.process.stdout:
            if found := re.match(r"web on http://127\.0\.0\.1:(\d+)/", line):
                self.port = int(found[1])
                return
        raise RuntimeError((folder / "log").read_text())

    def close(self):
        self.process.terminate()
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()


@pytest.fixture(scope="session")
def programs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("programs")
    for name in PROGRAMS:
        shutil.copy(example(name), folder / f"{name}.elf")
    return folder


@pytest.fixture(scope="session")
def files(tmp_path_factory, programs):
    """A server that takes files, whose folder the tests can look at."""
    server = Files(tmp_path_factory.mktemp("files"), PAGE, programs)
    yield server
    server.close()


@pytest.fixture(scope="session")
def server(tmp_path_factory, programs):
    """The server that the page is for."""
    server = Real(tmp_path_factory.mktemp("server"), programs)
    yield server
    server.close()


@pytest.fixture
def relay(request):
    """In front of the page's server, or of the one whose files the tests can look at."""
    relay = Recorder(request.getfixturevalue(request.module.SERVER).port)
    yield relay
    relay.cut()


@pytest.fixture
def browser(relay):
    with tempfile.TemporaryDirectory(prefix="blindcore-web-") as folder:
        browser = Browser(folder)
        browser.origin = f"http://127.0.0.1:{relay.port}"
        try:
            browser.driver.get(browser.origin + "/")
            yield browser
        finally:
            browser.close()
