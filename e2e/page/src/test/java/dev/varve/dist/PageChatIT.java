package dev.varve.dist;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.Download;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Request;
import com.microsoft.playwright.options.AriaRole;
import com.microsoft.playwright.options.FilePayload;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Versions of messages, attached files, import, search, presets, the gauge and shortcuts of the
 * chat, in a real browser.
 */
@Timeout(240)
class PageChatIT {
    private static final String ATTACH = "input[type=file][multiple]:not([accept])";
    private static final String IMPORT = "input[type=file][accept^='.json']";

    private static PageBrowser browser;
    private static Varve.Server server;

    private BrowserContext person;
    private ChatPage tab;

    @BeforeAll
    static void start() throws Exception {
        browser = SharedPage.browser();
        server = SharedPage.server();
    }

    @BeforeEach
    void open() {
        person = browser.desktop();
        tab = ChatPage.open(person, server.url());
    }

    @AfterEach
    void leave() {
        person.close();
    }

    private void answer(String question, String text) {
        ScriptedChat.answers(tab.page(), "", text);
        tab.askAndWait(question);
    }

    private Locator lastText() {
        return tab.lastAnswer().locator(".text.rich").last();
    }

    private Locator trouble() {
        return tab.page().locator(".chat .trouble");
    }

    private static FilePayload file(String name, String text) {
        return new FilePayload(name, "", text.getBytes(StandardCharsets.UTF_8));
    }

    private void attach(FilePayload... files) {
        tab.page().locator(ATTACH).setInputFiles(files);
    }

    private void load(FilePayload file) {
        tab.page().locator(IMPORT).setInputFiles(file);
    }

    private JsonNode bodyOf(Runnable action) {
        Request request = tab.page().waitForRequest(ScriptedChat.ROUTE, action);
        return JsonMapper.shared().readTree(request.postData());
    }

    @Test
    void editAndRegenerateKeepEarlierVersions() {
        answer("First question?", "First answer.");
        answer("Second question?", "Second answer.");
        ScriptedChat.answers(tab.page(), "", "Another second answer.");
        tab.button("Regenerate").last().click();
        assertThat(lastText()).hasText("Another second answer.");
        assertThat(tab.lastAnswer().locator(".versions")).hasText("2/2");
        tab.messages("user").first().hover();
        tab.button("Edit message").first().click();
        tab.page().getByLabel("Edited message").fill("Edited question?");
        ScriptedChat.answers(tab.page(), "", "Edited answer.");
        tab.button("Send").first().click();
        assertThat(lastText()).hasText("Edited answer.");
        assertThat(tab.messages("user")).hasText(Pattern.compile("2/2.*Edited|Edited.*2/2"));

        tab.button("Previous version").click();

        assertThat(tab.messages("user").locator(".bubble"))
                .hasText(new String[] {"First question?", "Second question?"});
        assertThat(lastText()).hasText("Another second answer.");
        assertThat(tab.button("Next version").first()).isFocused();
        assertThat(tab.announcement()).hasText("Version 1 of 2");
        tab.button("Previous version").last().click();
        assertThat(lastText()).hasText("Second answer.");
        // The model gets the shown branch only.
        JsonNode body = bodyOf(() -> tab.ask("Third question?"));
        assertEquals(
                List.of("First question?", "First answer.", "Second question?", "Second answer."),
                body.path("messages").values().stream()
                        .map(each -> each.path("content").stringValue())
                        .limit(4)
                        .toList());
        tab.awaitEnd();
        tab.page().reload();
        assertThat(tab.messages("user").locator(".bubble"))
                .hasText(new String[] {"First question?", "Second question?", "Third question?"});
        assertThat(tab.page().locator(".versions:visible")).hasText(new String[] {"1/2", "1/2"});
        assertEquals(List.of(), tab.complaints());
    }

    @Test
    void attachedFilesAreSentAsText() {
        attach(
                file("notes.py", "print('hi')\n```\n"),
                file("a`\n<img src=x onerror=\"window.hacked=1\">.txt", "an odd name"),
                new FilePayload(
                        "paper.pdf",
                        "application/pdf",
                        TinyPdf.of(
                                "/OpenAction << /S /JavaScript /JS (app.alert\\(1\\)) >>",
                                "A line of a page",
                                "Another page")));
        Locator chips = tab.page().locator(".files li");
        assertThat(tab.button("Remove paper.pdf")).isVisible();
        assertThat(chips).hasCount(3);
        ScriptedChat.answers(tab.page(), "", "Yes.");

        JsonNode body = bodyOf(() -> tab.ask("What is it?"));

        String content = body.at("/messages/0/content").stringValue();
        assertTrue(
                content.startsWith("File notes.py:\n\n````py\nprint('hi')\n```\n\n````\n\nFile a "),
                content);
        assertTrue(
                content.endsWith(
                        "File paper.pdf:\n\n"
                                + "```text\n"
                                + "A line of a page\n\n"
                                + "Another page\n"
                                + "```\n\n"
                                + "What is it?"),
                content);
        tab.awaitEnd();
        assertThat(chips).hasCount(0);
        Locator file = tab.messages("user").locator(".file");
        assertThat(file.last()).containsText("2 pages");
        file.last().locator("summary").click();
        assertThat(file.last().locator("pre")).hasText("A line of a page\n\nAnother page");
        tab.page().reload();
        assertThat(file).hasCount(3);
        assertNull(tab.page().evaluate("window.hacked"));
        assertEquals(List.of(), tab.complaints());
    }

    @Test
    void eachRefusedFileIsReportedAndTheOthersAreAttached() {
        attach(
                file("blank.txt", " \n"),
                file("good.txt", "good"),
                new FilePayload("photo.bin", "", new byte[] {1, 0, 2, (byte) 0xff}),
                file("other.txt", "other"));

        assertThat(tab.button("Remove good.txt")).isVisible();
        assertThat(tab.button("Remove other.txt")).isVisible();
        assertThat(trouble())
                .hasText(
                        "“blank.txt” is empty. “photo.bin” is neither text in UTF-8 nor a PDF"
                                + " file.");
    }

    @Test
    @Tag("nightly")
    void refusedFilesAreReported() {
        byte[] whole = TinyPdf.of("", "A page");
        Map<FilePayload, String> refused =
                Map.of(
                        new FilePayload("photo.bin", "", new byte[] {1, 0, 2, (byte) 0xff}),
                        "“photo.bin” is neither text in UTF-8 nor a PDF file.",
                        file("large.txt", "x".repeat((1 << 20) + 1)),
                        "“large.txt” is too large: 1.1 MiB, at most 1.",
                        file("blank.txt", " \n"),
                        "“blank.txt” is empty.",
                        new FilePayload("cut.pdf", "", Arrays.copyOf(whole, whole.length / 2)),
                        "“cut.pdf” is no PDF file, or is damaged.",
                        new FilePayload("scan.pdf", "", TinyPdf.of("", "")),
                        "“scan.pdf” has no text; its pages may be pictures.");
        refused.forEach(
                (file, message) -> {
                    attach(file);
                    assertThat(trouble()).hasText(message);
                });

        assertThat(tab.page().locator(".files li")).hasCount(0);
        attach(file("good.txt", "good"));
        assertThat(tab.button("Remove good.txt")).isVisible();
        assertThat(trouble()).isHidden();
        tab.button("Remove good.txt").click();
        assertThat(tab.page().locator(".files")).isHidden();
        assertEquals(List.of(), tab.complaints());
    }

    @Test
    @Tag("nightly")
    void exportedConversationIsImported() throws Exception {
        attach(file("notes.txt", "some notes"));
        assertThat(tab.button("Remove notes.txt")).isVisible();
        answer("What is this?", "A note.");
        ScriptedChat.answers(tab.page(), "I think.", "Two $x^2$ notes.");
        tab.button("Regenerate").click();
        assertThat(lastText()).containsText("notes.");
        tab.awaitEnd();
        Download json = tab.page().waitForDownload(() -> tab.choose("Export as JSON"));
        byte[] exported = Files.readAllBytes(json.path());
        tab.button("Delete all").click();
        tab.page()
                .getByRole(AriaRole.ALERTDIALOG)
                .getByRole(AriaRole.BUTTON, new Locator.GetByRoleOptions().setName("Delete all"))
                .click();
        assertThat(tab.messages("user")).hasCount(0);

        load(new FilePayload("chat.json", "application/json", exported));

        assertThat(tab.messages("user")).containsText("What is this?");
        assertThat(tab.messages("user").locator(".file")).containsText("notes.txt");
        assertThat(tab.lastAnswer().locator(".versions")).hasText("2/2");
        assertThat(tab.lastAnswer().locator(".formula")).hasCount(1);
        tab.button("Previous version").click();
        assertThat(lastText()).hasText("A note.");
        assertThat(tab.page().locator(".chats a")).hasText("What is this?");
        assertEquals(List.of(), tab.complaints());
    }

    @Test
    void openAiMessagesAreImportedAndOthersRefused() {
        Map<String, String> refused =
                Map.of(
                        "{",
                        "“chat.json” is not valid JSON.",
                        "{\"a\": 1}",
                        "“chat.json” cannot be imported: it has no list of messages.",
                        "[{\"role\": \"<b>\", \"content\": \"x\"}]",
                        "“chat.json” cannot be imported: message 1 has the role \"<b>\", expected"
                                + " one of system, developer, user, assistant, tool.",
                        "[{\"role\": \"user\", \"content\": 7}]",
                        "“chat.json” cannot be imported: message 1 has no text.",
                        "{\"format\": \"varve-chat\", \"version\": 9, \"messages\": []}",
                        "“chat.json” cannot be imported: version 9 is unknown, expected 1 or 2.");
        refused.forEach(
                (text, message) -> {
                    load(file("chat.json", text));
                    assertThat(trouble()).hasText(message);
                });
        assertThat(tab.page().locator(".chats a")).hasCount(0);

        load(
                file(
                        "chat.json",
                        """
                        {"messages": [
                          {"role": "system", "content": "Be brief."},
                          {"role": "user", "content": [{"type": "text", "text": "Weather in Rome?"}]},
                          {"role": "assistant", "content": null, "tool_calls": [{"id": "a", "type": "function",
                            "function": {"name": "weather", "arguments": "{\\"city\\": \\"Rome\\"}"}}]},
                          {"role": "tool", "tool_call_id": "a", "content": "<script>hacked()</script>"},
                          {"role": "assistant", "content": "<img src=x onerror=\\"window.hacked=1\\"> sunny",
                            "facts": {"timings": {"decode_tokens_per_second": {}}}}
                        ]}
                        """));

        assertThat(tab.messages("user")).containsText("Weather in Rome?");
        assertThat(trouble()).isHidden();
        assertThat(tab.messages("assistant").first()).containsText("Calls weather");
        assertThat(tab.messages("tool")).containsText("Result of weather");
        assertThat(tab.lastAnswer()).containsText("<img src=x");
        assertNull(tab.page().evaluate("window.hacked"));
        ScriptedChat.answers(tab.page(), "", "Yes.");
        JsonNode body = bodyOf(() -> tab.ask("Sure?"));
        assertEquals("Be brief.", body.at("/messages/0/content").stringValue());
        assertEquals("weather", body.at("/messages/2/tool_calls/0/function/name").stringValue());
        assertEquals("a", body.at("/messages/3/tool_call_id").stringValue());
        tab.awaitEnd();
        assertEquals(List.of(), tab.complaints());
    }

    /** Fields that the page itself would not write. */
    @Test
    @Tag("nightly")
    void hostileExportIsShownAsText() {
        load(
                file(
                        "chat.json",
                        """
                        {"format": "varve-chat", "version": 2, "title": "<b>t</b>", "leaf": {}, "created": "x",
                         "settings": {"temperature": {}, "model": 7, "tools": "]", "__proto__": {"system": "x"}},
                         "messages": [
                          {"role": "user", "content": "q", "order": 5, "parent": 5, "files": [{"name": {}, "text": 1}, null]},
                          {"role": "assistant", "content": "a", "order": 9007199254740991, "parent": 12, "state": "running",
                            "stream": {"id": "../x"}, "calls": {"length": 3}, "error": 3, "reasoning": [],
                            "facts": {"usage": {"prompt_tokens": "many"}, "timings": {"decode_tokens_per_second": {}},
                              "millis": "1"}}]}
                        """));

        assertThat(tab.messages("user")).containsText("q");
        assertThat(tab.lastAnswer()).containsText("a");
        assertThat(tab.page().locator(".chats a")).hasText("<b>t</b>");
        tab.page().reload();
        assertThat(tab.lastAnswer()).containsText("Stopped");
        ScriptedChat.answers(tab.page(), "", "Yes.");
        JsonNode body = bodyOf(() -> tab.ask("Next?"));
        assertEquals(3, body.path("messages").size());
        assertFalse(body.has("tools"));
        tab.awaitEnd();
        tab.page().reload();
        assertThat(tab.messages("user").locator(".bubble")).hasText(new String[] {"q", "Next?"});
        assertThat(tab.messages("assistant")).hasCount(2);
        assertEquals(List.of(), tab.complaints());
    }

    @Test
    @Tag("nightly")
    void requestThatCannotBeMadeChangesNothing() {
        load(file("chat.json", "[{\"role\": \"assistant\", \"content\": \"Hello.\"}]"));
        tab.button("Regenerate").click();
        assertThat(trouble())
                .hasText("There is no message before it, to which the model could respond.");
        assertThat(lastText()).hasText("Hello.");
        tab.page().reload();
        assertThat(lastText()).hasText("Hello.");

        tab.page().evaluate("localStorage['varve.settings'] = '{\"tools\": \"]\"}'");
        tab.button("New chat").click();
        tab.ask("Lost?");

        assertThat(trouble()).containsText("The tools are not valid JSON");
        assertThat(tab.question()).hasValue("Lost?");
        assertThat(tab.messages("user")).hasCount(0);
        assertThat(tab.page().locator(".chats a")).hasCount(1);
        assertEquals(List.of(), tab.complaints());
    }

    @Test
    @Tag("nightly")
    void filesMayBeRemovedAndAddedWhileAnotherIsRead() {
        attach(file("first.txt", "one"));
        assertThat(tab.button("Remove first.txt")).isVisible();
        tab.page()
                .evaluate(
                        """
                        () => {
                            const gate = new Promise(resolve => { globalThis.letIn = resolve; });
                            const read = Blob.prototype.arrayBuffer;
                            Blob.prototype.arrayBuffer = async function () {
                                await gate;
                                return read.call(this);
                            };
                        }
                        """);
        attach(file("ticks.txt", "` ".repeat(130_000)));
        attach(file("third.txt", "three"));
        tab.button("Remove first.txt").click();
        tab.page().evaluate("letIn()");

        assertThat(tab.page().locator(".files li"))
                .hasText(new String[] {"ticks.txt", "third.txt"});
        ScriptedChat.answers(tab.page(), "", "Yes.");
        JsonNode body = bodyOf(() -> tab.ask("What is it?"));
        String content = body.at("/messages/0/content").stringValue();
        assertTrue(content.startsWith("File ticks.txt:\n\n```txt\n` ` "));
        assertTrue(content.endsWith("File third.txt:\n\n```txt\nthree\n```\n\nWhat is it?"));
        tab.awaitEnd();
        assertEquals(List.of(), tab.complaints());
    }

    @Test
    @Tag("nightly")
    void formulaOfAContinuedTextIsShownOnce() {
        tab.page()
                .evaluate(
                        """
                        async () => {
                            const {name} = performance.getEntriesByType('resource')
                                .find(each => each.name.endsWith('/chat/markdown.js'));
                            const {GrowingText} = await import(name);
                            globalThis.part = document.body.appendChild(document.createElement('div'));
                            part.id = 'part';
                            globalThis.text = new GrowingText(part);
                            text.whole('$$x^2$$');
                        }
                        """);
        assertThat(tab.page().locator("#part .formula")).hasCount(1);

        tab.page().evaluate("text.setText('$$x^2$$\\n\\nMore')");

        assertThat(tab.page().locator("#part .formula, #part .math")).hasCount(1);
        assertThat(tab.page().locator("#part")).containsText("More");
        assertEquals(List.of(), tab.complaints());
    }

    @Test
    @Tag("nightly")
    void searchFindsWordsInMessages() {
        answer("About apples?", "They are fruits.");
        tab.button("New chat").click();
        attach(file("pear.txt", "a needle in a text"));
        assertThat(tab.button("Remove pear.txt")).isVisible();
        answer("About pears?", "They are Fruits, <b>too</b>.");
        Locator chats = tab.page().locator(".chats a");
        Locator search = tab.page().getByLabel("Search conversations");
        tab.page().keyboard().press("Control+k");
        assertThat(search).isFocused();

        search.fill("fruits, <b>");
        assertThat(chats).hasText("About pears?They are Fruits, <b>too</b>.");
        search.fill("NEEDLE");
        assertThat(chats).hasText("About pears?pear.txt: a needle in a text");
        search.fill("fruits");
        assertThat(chats).hasCount(2);
        search.fill("nothing has this");
        assertThat(chats).hasCount(0);
        assertThat(tab.announcement()).hasText("0 conversations found");
        search.fill("");

        assertThat(chats).hasText(new String[] {"About pears?", "About apples?"});
        Object shown =
                search.evaluate(
                        """
                        search => {
                            const read = IDBObjectStore.prototype.getAll;
                            globalThis.reads = 0;
                            IDBObjectStore.prototype.getAll = function (...what) {
                                reads += this.name === 'messages';
                                return read.apply(this, what);
                            };
                            for (let length = 1; length <= 'needle'.length; length++) {
                                search.value = 'needle'.slice(0, length);
                                search.dispatchEvent(new Event('input'));
                            }
                            return document.querySelectorAll('.chats a').length;
                        }
                        """);
        assertEquals(0, shown);
        assertThat(chats).hasText("About pears?pear.txt: a needle in a text");
        assertEquals(1, tab.page().evaluate("reads"));
        search.fill("needle in hay");
        assertEquals(0, chats.count());
        assertEquals(List.of(), tab.complaints());
    }

    @Test
    void presetsAndSettingsOfNewChatsAreKept() {
        Locator dialog = tab.page().getByRole(AriaRole.DIALOG);
        tab.button("Settings").click();
        dialog.getByLabel("System prompt").fill("Answer in verse.");
        dialog.getByLabel("Preset name").fill("Poet");
        tab.button("Save preset").click();
        assertThat(dialog).containsText("The preset “Poet” is stored in this browser.");
        tab.button("Reset").click();
        dialog.getByLabel("System prompt").fill("Be brief.");
        tab.button("Use for new chats").click();
        assertThat(dialog).containsText("New chats start with these settings.");
        dialog.getByLabel("System prompt").fill("Only here.");
        tab.button("Done").click();
        ScriptedChat.answers(tab.page(), "", "Yes.");
        JsonNode here = bodyOf(() -> tab.ask("Here?"));
        tab.awaitEnd();
        tab.page().navigate(server.url() + "/#/chat");
        tab.page().reload();
        assertThat(tab.messages("user")).hasCount(0);
        JsonNode fresh = bodyOf(() -> tab.ask("New?"));
        tab.awaitEnd();
        tab.button("Settings").click();
        dialog.getByLabel("Preset", new Locator.GetByLabelOptions().setExact(true))
                .selectOption("Poet");
        tab.button("Done").click();
        JsonNode preset = bodyOf(() -> tab.ask("And now?"));
        tab.awaitEnd();

        assertEquals("Only here.", here.at("/messages/0/content").stringValue());
        assertEquals("Be brief.", fresh.at("/messages/0/content").stringValue());
        assertEquals("Answer in verse.", preset.at("/messages/0/content").stringValue());
        tab.button("Settings").click();
        dialog.getByLabel("Preset", new Locator.GetByLabelOptions().setExact(true))
                .selectOption("Poet");
        tab.button("Delete preset").click();
        assertEquals("[]", tab.page().evaluate("localStorage['varve.presets']"));
        assertEquals(List.of(), tab.complaints());
    }

    @Test
    @Tag("nightly")
    void gaugeShowsTheContextAndDemoModelsAreMarked() {
        Locator gauge = tab.page().getByRole(AriaRole.METER);
        assertThat(gauge).isHidden();
        assertThat(tab.page().locator(".demo")).containsText("Demo model: a toy");
        answer("Something?", "Yes.");

        assertThat(gauge).hasAttribute("aria-valuetext", "1,622 of 8,192 tokens");
        assertThat(gauge).not().hasClass(Pattern.compile("nearly-full"));
        tab.page().route("**/v1/models", route -> ScriptedChat.lists(route, "other"));
        tab.page().reload();
        assertThat(tab.page().locator("select.model")).hasValue("other");
        assertThat(tab.page().locator(".demo")).isHidden();
        assertThat(gauge).isHidden();
        assertEquals(List.of(), tab.complaints());
    }

    @Test
    @Tag("nightly")
    void shortcutsWorkOutsideOfFieldsAndCanBeTurnedOff() {
        answer("Something?", "Yes.");
        Locator sheet = tab.page().getByRole(AriaRole.DIALOG);
        tab.question().press("?");
        assertThat(tab.question()).hasValue("?");
        tab.question().fill("");
        tab.page().locator(".scroller").focus();
        tab.page().keyboard().press("?");
        assertThat(sheet).containsText("Keyboard shortcuts");
        PageCheck.isReadable(tab.page());
        tab.page().keyboard().press("Escape");
        assertThat(sheet).hasCount(0);
        ScriptedChat.answers(tab.page(), "", "Again.");
        tab.page().keyboard().press("r");
        assertThat(lastText()).hasText("Again.");
        tab.awaitEnd();
        tab.page().locator(".scroller").focus();
        tab.page().keyboard().press("[");
        assertThat(lastText()).hasText("Yes.");
        tab.page().locator(".scroller").focus();
        tab.page().keyboard().press("/");
        assertThat(tab.question()).isFocused();
        assertThat(tab.question()).hasValue("");
        tab.page().locator(".scroller").focus();
        tab.page().keyboard().press("3");
        assertThat(tab.page().locator(".view-cache")).isVisible();
        tab.page().keyboard().press("Control+Shift+O");
        assertThat(tab.page().locator(".view-chat")).isVisible();
        assertThat(tab.messages("user")).hasCount(0);
        tab.page().locator(".scroller").focus();
        tab.page().keyboard().press("Control+/");
        sheet.getByLabel("Single keys outside of fields").uncheck();
        tab.button("Close").click();
        tab.page().locator(".scroller").focus();
        tab.page().keyboard().press("3");
        tab.page().keyboard().press("Control+/");
        assertThat(sheet).isVisible();

        assertThat(tab.page().locator(".view-chat")).isVisible();
        assertEquals(List.of(), tab.complaints());
    }

    @Test
    void imagesAreRefusedForAModelWithoutEncoder() {
        assertThat(tab.button("Attach images")).isHidden();

        attach(new FilePayload("sun.png", "image/png", new byte[] {1, 2, 3}));

        assertThat(trouble()).hasText("“sun.png” is an image. varve-demo-qwen35 reads text only.");
        assertThat(tab.page().locator(".files li")).hasCount(0);
    }

    @Test
    void chatOpensWithinAHundredKilobytes() {
        try (BrowserContext fresh = browser.desktop()) {
            ChatPage first = ChatPage.open(fresh, server.url());
            assertThat(first.page().locator("select.model option")).hasCount(1);
            Object names =
                    first.page()
                            .evaluate(
                                    """
                                    () => performance.getEntriesByType('resource').map(each => each.name).join(' ')
                                    """);
            double bytes =
                    ((Number)
                                    first.page()
                                            .evaluate(
                                                    """
                                                    () => [...performance.getEntriesByType('navigation'),
                                                        ...performance.getEntriesByType('resource')]
                                                        .reduce((sum, entry) => sum + entry.transferSize, 0)
                                                    """))
                            .doubleValue();

            assertTrue(bytes > 20_000 && bytes <= 100_000, bytes + " bytes: " + names);
            assertFalse(
                    names.toString().matches(".*(katex|highlight|pdf|settings|imports).*"),
                    names::toString);
        }
    }

    @Test
    @Tag("nightly")
    void droppedAndPastedFilesAreAttached() {
        for (String kind : List.of("drop", "paste")) {
            tab.page()
                    .evaluate(
                            """
                            kind => {
                                const data = new DataTransfer();
                                data.items.add(new File(['some text'], `${kind}.txt`, {type: 'text/plain'}));
                                const target = document.querySelector(kind === 'drop' ? '.scroller' : '#question');
                                target.dispatchEvent(kind === 'drop'
                                    ? new DragEvent('drop', {dataTransfer: data, bubbles: true, cancelable: true})
                                    : new ClipboardEvent('paste', {clipboardData: data, bubbles: true, cancelable: true}));
                            }
                            """,
                            kind);
            assertThat(tab.button("Remove " + kind + ".txt")).isVisible();
        }
        // As of an office program: the browser itself inserts the text.
        assertEquals(
                true,
                tab.question()
                        .evaluate(
                                """
                                field => {
                                    const data = new DataTransfer();
                                    data.items.add('a cell', 'text/plain');
                                    data.items.add(new File(['x'], 'image.png', {type: 'image/png'}));
                                    return field.dispatchEvent(new ClipboardEvent('paste',
                                        {clipboardData: data, bubbles: true, cancelable: true}));
                                }
                                """));
        tab.page().getByRole(AriaRole.LINK, new Page.GetByRoleOptions().setName("Cache")).click();
        assertThat(tab.question()).hasCount(0);
        tab.page().goBack();

        assertThat(tab.page().locator(".files li")).hasCount(2);
        assertEquals(List.of(), tab.complaints());
    }
}
