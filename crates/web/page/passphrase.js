// The dialog that asks for a passphrase, and for a key's file where one is to be opened.
import { find, say } from "./view.js";

const dialog = find("passphrase-dialog");

/**
 * Asks, until `act` succeeds or the user gives up. `act` gets `{ passphrase, file }`; what it throws
 * is shown. Returns what `act` returned, or `null`.
 */
export function ask({ title, hint, go, withFile = false, twice = false, act }) {
  const [first, again, file] = ["passphrase", "passphrase-again", "key-file"].map(find);
  find("passphrase-title").textContent = title;
  find("passphrase-hint").textContent = hint;
  find("passphrase-go").textContent = go;
  find("key-file-field").hidden = !withFile;
  find("passphrase-again-field").hidden = !twice;
  // The browser's own store of passwords may help to open, and to keep what is new.
  first.autocomplete = twice ? "new-password" : "current-password";
  const message = find("passphrase-message");
  say(message, "");
  file.value = "";

  return new Promise((resolve) => {
    const form = find("passphrase-form");
    let busy = false;
    const end = (result) => {
      first.value = again.value = file.value = "";
      form.onsubmit = dialog.onclose = null;
      if (dialog.open) dialog.close();
      resolve(result);
    };
    dialog.onclose = () => end(null);
    find("passphrase-cancel").onclick = () => dialog.close();
    form.onsubmit = async (event) => {
      event.preventDefault();
      if (busy) return;
      if (withFile && file.files.length === 0) return say(message, "Choose the file of the key.", "error");
      if (twice && first.value === "") return say(message, "Type a passphrase: without one the file is the key.", "error");
      if (twice && first.value !== again.value) return say(message, "The two are not the same.", "error");
      busy = true;
      find("passphrase-go").disabled = true;
      say(message, "A moment…");
      try {
        const result = await act({ passphrase: first.value, file: file.files[0] });
        if (dialog.open) end(result);
      } catch (error) {
        say(message, error.message, "error");
        first.select();
      } finally {
        busy = false;
        find("passphrase-go").disabled = false;
      }
    };
    dialog.showModal();
  });
}
