"""The page: from a program to an answer, and what goes wrong on the way."""

import os
import re
import signal
import subprocess
from pathlib import Path

from conftest import BLINDCORE, PAGE, ROOT, Browser
from selenium.common.exceptions import NoAlertPresentException
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import Select
from test_module import unwrapped

# What the page is tested on: a fixture.
SERVER = "server"
SALARY = [52017, 41233, 39509, 0, 0, 0, 0, 0]
# The case of examples/premium with these inputs.
PREMIUM = {"step": "11", "premium": "142"}
PASSPHRASE = "a passphrase of the tests"


class Page:
    """What a person does."""

    def __init__(self, browser, token):
        self.browser, self.driver, self.token = browser, browser.driver, token
        self.connect()

    def connect(self):
        self.browser.wait(lambda: self.browser.find("login-card").is_displayed(), what="the login")
        self.browser.find("token").send_keys(self.token)
        self.driver.find_element(By.CSS_SELECTOR, "#login button").click()
        self.browser.wait(lambda: self.browser.find("app").is_displayed(), what="the page behind it")

    def choose(self, name):
        self.browser.wait(lambda: f"{name}.elf" in self.browser.find("programs").text, what="the programs")
        Select(self.browser.find("programs")).select_by_value(f"{name}.elf")
        self.browser.wait(lambda: self.browser.find("program-details").is_displayed(), what="the program")

    def field(self, name):
        return self.driver.find_element(By.CSS_SELECTOR, f"#fields [id^='value-{name}-']:not([id$=hint]):not([id$=error])")

    def fill(self, **values):
        for name, value in values.items():
            field = self.field(name)
            field.clear()
            field.send_keys(str(value))

    def make_key(self):
        self.browser.find("key-make").click()
        self.browser.wait(lambda: "not saved" in self.browser.find("key-state").text, what="the key")

    def save_key(self):
        before = set(self.browser.downloads.iterdir())
        self.browser.find("key-save").click()
        self.browser.find("passphrase").send_keys(PASSPHRASE)
        self.browser.find("passphrase-again").send_keys(PASSPHRASE)
        self.browser.find("passphrase-go").click()
        new = lambda: [
            own for own in set(self.browser.downloads.iterdir()) - before if own.suffix == ".key" and own.stat().st_size
        ]
        self.browser.wait(new, what="the saved key")
        self.browser.wait(lambda: "saved in a file" in self.browser.find("key-state").text)
        return new()[0]

    def open_key(self, path, passphrase=PASSPHRASE):
        self.browser.find("key-open").click()
        self.browser.find("key-file").send_keys(str(path))
        self.browser.find("passphrase").send_keys(passphrase)
        self.browser.find("passphrase-go").click()

    def submit(self):
        self.browser.wait(lambda: self.browser.find("submit").is_enabled(), what="the button")
        self.browser.find("submit").click()
        self.browser.wait(
            lambda: self.browser.find("values-message").get_attribute("data-kind") in ("good", "error"), what="the job"
        )
        assert "Submitted" in self.browser.find("values-message").text, self.browser.find("values-message").text

    def state(self, job=0):
        states = self.driver.find_elements(By.CSS_SELECTOR, "#jobs .job .state")
        return states[job].text if len(states) > job else ""

    def until(self, state, seconds=240):
        self.browser.wait(lambda: self.state() == state, seconds, f"a job that is {state}")

    def press(self, text, job=0):
        item = self.driver.find_elements(By.CSS_SELECTOR, "#jobs .job")[job]
        next(own for own in item.find_elements(By.TAG_NAME, "button") if own.text == text).click()

    def answer(self, job=0):
        self.press("Decrypt the answer", job)
        item = self.driver.find_elements(By.CSS_SELECTOR, "#jobs .job")[job]
        self.browser.wait(lambda: item.find_elements(By.CSS_SELECTOR, ".answer tr"), what="the answer")
        rows = item.find_elements(By.CSS_SELECTOR, ".answer tr")
        return {row.find_element(By.TAG_NAME, "th").text: row.find_element(By.TAG_NAME, "td").text for row in rows}

    def reload(self):
        self.driver.refresh()
        try:
            # The browser asks whether what is not saved may go.
            self.driver.switch_to.alert.accept()
        except NoAlertPresentException:
            pass
        self.connect()


def test_from_a_key_to_an_answer_and_no_secret_leaves(server, browser, relay):
    page = Page(browser, server.tokens[0])
    browser.shot("1-begin")
    page.choose("salaries")
    page.make_key()
    page.fill(salary=", ".join(map(str, SALARY[:3])), count=3)
    saved = page.save_key()
    browser.shot("2-filled")

    browser.wait(lambda: browser.find("plan").is_enabled())
    browser.find("plan").click()
    browser.wait(lambda: browser.find("server-plan").is_displayed(), what="the server's plan")
    assert "Time there" in browser.find("server-plan").text
    browser.shot("3-planned")
    page.submit()
    browser.wait(lambda: page.state() in ("queued", "running", "done"), what="the job in the list")
    browser.wait(lambda: page.state() in ("running", "done"))
    browser.shot("4-running")
    page.until("done")
    answer = page.answer()
    assert (answer["total"], answer["highest"], answer["mean"]) == (str(sum(SALARY)), "52017", str(sum(SALARY) // 3))
    browser.shot("5-answer")

    # What left the browser: the file that the user saved tells what to look for.
    secret = unwrapped(saved.read_bytes(), PASSPHRASE)
    sent = b"".join(relay.bytes_sent())
    assert b"PUT /v1/blobs/" in sent and b"POST /v1/jobs" in sent and len(sent) > 85_000_000
    salaries = b"".join(value.to_bytes(4, "little") for value in SALARY[:3])
    for what in (secret, salaries, b"52017", PASSPHRASE.encode(), saved.read_bytes()[40:]):
        assert what not in sent
    # Its first 100 bytes are a header, which the server's key has, too.
    pieces = [secret[at : at + 8] for at in range(100, len(secret) - 8, 8)]
    # Zeros are everywhere and tell nothing.
    pieces = [piece for piece in pieces if len(set(piece)) > 4]
    assert len(pieces) > 30
    assert not any(piece in sent for piece in pieces)
    # What is not secret is seen.
    assert server.tokens[0].encode() in sent and b"kind=inputs" in sent and b"kind=server_key" in sent
    # The program chooses by secrets: the server has the second part of its key, too.
    assert b"kind=selector_key" in sent and b'"selectors":"' in sent
    requests, console = browser.logs()
    origins = (browser.origin + "/", "blob:" + browser.origin + "/")
    assert [own["url"] for own in requests if not own["url"].startswith(origins)] == []
    assert [own for own in console if "Content Security Policy" in own["message"]] == []


def test_a_wrong_token_and_a_wrong_passphrase_are_said(server, browser):
    browser.wait(lambda: browser.find("login-card").is_displayed())
    browser.find("token").send_keys("nobody")
    browser.driver.find_element(By.CSS_SELECTOR, "#login button").click()
    browser.wait(lambda: "does not know this token" in browser.find("login-message").text)
    browser.find("token").clear()
    page = Page(browser, server.tokens[0])
    page.make_key()
    saved = page.save_key()
    browser.find("key-forget").click()
    browser.wait(lambda: "There is no key" in browser.find("key-state").text)
    page.open_key(saved, "another one")
    browser.wait(lambda: "passphrase is wrong" in browser.find("passphrase-message").text)
    browser.shot("6-wrong-passphrase")
    browser.find("passphrase").clear()
    browser.find("passphrase").send_keys(PASSPHRASE)
    browser.find("passphrase-go").click()
    browser.wait(lambda: "saved in a file" in browser.find("key-state").text)


def test_values_that_do_not_fit_are_said_at_their_fields(server, browser):
    page = Page(browser, server.tokens[0])
    page.choose("salaries")
    page.make_key()
    for value, words in (("3.5", "no whole number"), ("4294967296", "count"), ("-1", "count")):
        page.fill(salary="1", count=value)
        browser.find("submit").click()
        error = lambda: browser.text("#fields .field-error:not([hidden])")
        browser.wait(lambda: words in error(), what=f"{words} for {value}")
        assert page.field("count").get_attribute("aria-invalid") == "true"
    browser.shot("7-invalid")
    assert not browser.driver.find_elements(By.CSS_SELECTOR, "#jobs .job[data-id] .state[data-state=queued]")


def test_a_program_that_branches_on_a_secret(server, browser):
    page = Page(browser, server.tokens[0])
    page.choose("premium")
    page.make_key()
    page.fill(income=9999, children=0)
    page.submit()
    page.until("failed")
    assert "premium.c" in browser.text("#jobs .message")
    browser.shot("8-branches")
    browser.driver.find_element(By.CSS_SELECTOR, "#program-details summary").click()
    Select(browser.find("branches")).select_by_value("both")
    page.submit()
    page.until("done")
    assert page.answer() == PREMIUM


def test_a_reload_in_the_middle_of_a_job(server, browser):
    page = Page(browser, server.tokens[0])
    page.choose("xtea")
    page.make_key()
    saved = page.save_key()
    page.fill(key="66051, 67438087, 134810123, 202182159", plain="1094861636, 1162233672")
    page.submit()
    browser.wait(lambda: page.state() in ("queued", "running"), what="the job")
    page.reload()
    browser.wait(lambda: page.state() in ("queued", "running", "done"), what="the job after the reload")
    page.until("done")
    page.press("Decrypt the answer")
    browser.wait(lambda: "There is no key" in browser.text("#jobs .message"), what="that the key is gone")
    page.open_key(saved)
    browser.wait(lambda: "saved in a file" in browser.find("key-state").text)
    assert page.answer()["cipher"] == "1232991184, 1918971061"


def test_two_tabs_have_keys_of_their_own_and_the_same_jobs(server, browser):
    page = Page(browser, server.tokens[0])
    page.choose("hamming")
    page.make_key()
    page.fill(left="GATTACAT", right="GACTATAG")
    page.submit()
    first = browser.driver.current_window_handle
    browser.driver.switch_to.new_window("tab")
    browser.driver.get(browser.origin + "/")
    other = Page(browser, server.tokens[0])
    other.make_key()
    other.until("done")
    other.press("Decrypt the answer")
    browser.wait(lambda: "belongs to key" in browser.text("#jobs .message"), what="that it is another's")
    browser.shot("9-another-key")
    browser.driver.switch_to.window(first)
    browser.wait(lambda: page.state() == "done")
    assert page.answer() == {"letters": "3", "bits": "11"}


def test_a_lost_connection_comes_back(server, browser, relay):
    page = Page(browser, server.tokens[0])
    page.choose("hamming")
    page.make_key()
    page.fill(left="GATTACAT", right="GACTATAG")
    page.submit()
    relay.cut()
    browser.wait(lambda: browser.find("trouble").is_displayed(), what="that the server cannot be reached")
    assert "cannot be reached" in browser.find("trouble").text
    browser.shot("10-lost")
    # Whoever submits meanwhile waits.
    page.fill(left="CIPHERED", right="CIPHERED")
    browser.find("submit").click()
    browser.wait(lambda: "Trying again" in browser.find("work-text").text, what="that it tries again")
    relay.resume()
    browser.wait(lambda: "Submitted" in browser.find("values-message").text, what="the second job")
    browser.wait(lambda: not browser.find("trouble").is_displayed(), what="that it is back")
    browser.wait(lambda: (page.state(0), page.state(1)) == ("done", "done"), 240, "both")
    assert page.answer(0) == {"letters": "0", "bits": "0"}
    assert page.answer(1) == {"letters": "3", "bits": "11"}
    # A program that chooses little costs nobody the second part of a key.
    assert b"kind=selector_key" not in b"".join(relay.bytes_sent())


def test_a_job_is_cancelled_and_forgotten(server, browser):
    page = Page(browser, server.tokens[0])
    page.choose("xtea")
    page.make_key()
    page.fill(key="1, 2, 3, 4", plain="5, 6")
    page.submit()
    browser.wait(lambda: page.state() == "running", what="the job")
    jobs = lambda: len(browser.driver.find_elements(By.CSS_SELECTOR, "#jobs .job"))
    before = jobs()
    page.press("Cancel")
    page.until("cancelled")
    page.press("Forget")
    browser.wait(lambda: jobs() == before - 1, what="that it is gone")


def test_an_operator_sees_all_clients(server, browser):
    page = Page(browser, server.tokens[1])
    page.choose("hamming")
    page.make_key()
    page.fill(left="GATTACAT", right="GACTATAG")
    page.submit()
    browser.wait(lambda: "operator" in browser.find("operator-jobs").text, what="the dashboard")
    assert "Threads" in browser.find("operator-facts").text
    browser.shot("11-operator")
    browser.driver.execute_cdp_cmd(
        "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": "dark"}]}
    )
    browser.shot("12-dark")


def test_everything_has_a_name_and_can_be_reached(server, browser):
    """What a screen reader needs: labels, one main heading, no empty button; and the keyboard's order."""
    page = Page(browser, server.tokens[0])
    page.choose("salaries")
    nameless = browser.driver.execute_script(
        """
        const visible = [...document.querySelectorAll("input, select, textarea, button, progress")]
            .filter((own) => own.checkVisibility());
        return visible.filter((own) => !(own.labels?.length || own.getAttribute("aria-label") || own.textContent.trim()))
            .map((own) => own.outerHTML);
        """
    )
    assert nameless == []
    structure = browser.driver.execute_script(
        """
        return {
            lang: document.documentElement.lang, headings: document.querySelectorAll("h1").length,
            ids: [...document.querySelectorAll("[id]")].map((own) => own.id),
            named: [...document.querySelectorAll("[aria-labelledby], [aria-describedby], [for]")].flatMap((own) =>
                ["aria-labelledby", "aria-describedby", "for"].flatMap((name) => (own.getAttribute(name) ?? "").split(" "))),
            tabs: [...document.querySelectorAll("[tabindex]")].map((own) => own.tabIndex),
        };
        """
    )
    assert structure["lang"] == "en" and structure["headings"] == 1
    assert len(structure["ids"]) == len(set(structure["ids"]))
    assert {name for name in structure["named"] if name} <= set(structure["ids"])
    assert all(tab <= 0 for tab in structure["tabs"])
    wide = browser.driver.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride", {"width": 400, "height": 900, "deviceScaleFactor": 1, "mobile": True}
    )
    assert wide == {}
    over = browser.driver.execute_script("return document.documentElement.scrollWidth - innerWidth")
    assert over <= 0, "the page is wider than a telephone"


def test_the_lines_of_the_readme(tmp_path):
    """As they are typed, in an empty folder with what the build made; only the ports are others."""
    text = (ROOT / "README.md").read_text().split("## In a browser")[1]
    lines = text.split("```sh\n")[1].split("```")[0]
    assert lines.startswith("crates/web/build && ")
    lines = lines.removeprefix("crates/web/build && ").replace("127.0.0.1:7411", "127.0.0.1:0")
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    (tmp_path / "target").mkdir()
    (tmp_path / "target" / "web").symlink_to(PAGE)
    environment = {**os.environ, "PATH": f"{Path(BLINDCORE).parent}:{os.environ['PATH']}"}
    script = lines.rstrip() + " --listen 127.0.0.1:0 --no-metrics"
    served = subprocess.Popen(
        ["bash", "-ec", script], cwd=tmp_path, env=environment, stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    folder = tmp_path / "browser"
    folder.mkdir()
    browser = None
    try:
        origin = next(found[1] for line in served.stdout if (found := re.match(r"web on (http://[\d.:]+)/", line)))
        browser = Browser(folder)
        browser.driver.get(origin + "/")
        page = Page(browser, (tmp_path / "alice.token").read_text().strip())
        page.choose("salaries")
        assert page.field("count").is_displayed()
    finally:
        if browser is not None:
            browser.close()
        os.killpg(served.pid, signal.SIGTERM)
        served.wait(60)
