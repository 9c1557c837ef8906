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
import com.microsoft.playwright.Route;
import com.microsoft.playwright.options.AriaRole;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Pattern;

/** Conversations on the server's page, in a real browser, each button pressed. */
@Timeout(240)
class PageIT {
    private static final String TOOL =
            """
            {"name": "get_weather", "description": "The weather in a town.", "parameters":
            {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}}
            """;

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

    @Test
    void questionGetsAResponseWithItsStatistics() {
        assertThat(tab.question()).isFocused();
        tab.askAndWait("What is 7 + 5?");

        assertThat(tab.lastAnswer().locator(".text.rich").last()).hasText("7 + 5 = 12.");
        Locator facts = tab.lastAnswer().locator(".facts");
        assertThat(facts.locator("summary"))
                .hasText(Pattern.compile("[\\d.]+ tokens/s · \\d+ tokens · \\d+ of \\d+ prompt.*"));
        facts.locator("summary").click();
        assertThat(facts.locator("dt")).containsText(new String[] {"Model", "First token after"});
        assertThat(tab.announcement()).hasText(Pattern.compile("The response is complete, \\d+.*"));
        assertThat(tab.page().locator(".chats a")).hasText("What is 7 + 5?");
        tab.page().reload();
        assertThat(tab.lastAnswer()).containsText("7 + 5 = 12.");
        assertEquals(List.of(), tab.complaints());
    }

    @Test
    void modelOutputIsSanitized() {
        List<String> asked = new ArrayList<>();
        person.onRequest(request -> asked.add(request.url()));
        ScriptedChat.answers(tab.page(), PageLooksIT.HOSTILE, PageLooksIT.HOSTILE);
        tab.askAndWait(PageLooksIT.HOSTILE);
        tab.lastAnswer().locator(".thoughts summary").click();
        tab.page().reload();

        assertThat(tab.lastAnswer()).containsText("The end.");
        assertThat(tab.lastAnswer()).containsText("<img src=x onerror=");
        assertNull(tab.page().evaluate("window.hacked"));
        assertEquals(
                List.of("https://example.org/", "https://evil.example/x.png?told=secret"),
                tab.lastAnswer()
                        .locator("> .text.rich a[href]")
                        .evaluateAll("links => links.map(link => link.href).slice(0, 2)"));
        assertEquals(
                0,
                tab.page()
                        .locator(
                                ".messages :is(script, img, iframe, style, form, input,"
                                        + " [onload], [onerror], :not(.katex *):is(svg"
                                        + " *:not(use), [style]))")
                        .count());
        assertThat(tab.lastAnswer().locator(".code-head").last()).containsText("html");
        assertThat(tab.lastAnswer().locator(".code .hljs-tag").first()).hasText("<script>");
        assertThat(tab.lastAnswer().locator(".formula .katex-html")).hasCount(5);
        assertThat(tab.lastAnswer().locator("code.math")).hasText(PageLooksIT.REFUSED_FORMULA);
        assertThat(tab.lastAnswer().locator("td").last()).hasCSS("text-align", "right");
        assertEquals(
                List.of(), asked.stream().filter(url -> !url.startsWith(server.url())).toList());
        assertEquals(List.of(), tab.complaints());
    }

    @Test
    @Tag("nightly")
    void prefillProgressOfALongPromptIsShown() {
        AtomicReference<Route> asked = new AtomicReference<>();
        tab.page().route(ScriptedChat.ROUTE, asked::set);
        tab.page()
                .route("**/requests", route -> ScriptedChat.reads(route, asked.get(), 1200, 8000));
        tab.ask("What is 7 + 5?");

        Locator waits = tab.lastAnswer().locator(".waits");
        assertThat(waits).containsText("Computing the prompt: 1,200 of 8,000 tokens");
        asked.get().resume();
        tab.awaitEnd();
        assertThat(tab.lastAnswer().locator(".text.rich").last()).hasText("7 + 5 = 12.");
        assertThat(waits).isHidden();
        assertEquals(List.of(), tab.complaints());
    }

    @Test
    void toolCallIsShownAndItsResultUsed() {
        settings(
                dialog -> {
                    fold(dialog, "Tools").click();
                    dialog.getByLabel("Tools, as JSON").fill("{\"name\": ");
                    assertThat(dialog.locator("#tools-error")).containsText("not valid JSON");
                    dialog.getByLabel("Tools, as JSON").fill(TOOL);
                    assertThat(dialog.locator("#tools-error")).hasText("");
                });
        tab.askAndWait("What is the weather in Paris?");

        Locator call = tab.lastAnswer().locator(".call");
        assertThat(call).containsText("Calls get_weather");
        assertThat(call.locator("pre")).hasText("{\n  \"city\": \"Paris\"\n}");
        tab.page().getByLabel("Result of get_weather").fill("{\"weather\": \"sunny\"}");
        tab.button("Send result").click();
        assertThat(tab.messages("assistant")).hasCount(2);
        tab.awaitEnd();
        assertThat(tab.lastAnswer().locator(".text.rich").last())
                .containsText(Pattern.compile("sunny"));
        assertThat(tab.messages("tool")).containsText("Result of get_weather");
        assertEquals(List.of(), tab.complaints());
    }

    @Test
    @Tag("nightly")
    void settingsAreSentToTheModel() throws Exception {
        settings(
                dialog -> {
                    dialog.getByLabel("System prompt").fill("Be brief.");
                    dialog.getByLabel("Temperature").fill("0.5");
                    dialog.getByLabel("Top k").fill("7");
                    dialog.getByLabel("Max tokens").fill("3");
                    dialog.getByLabel("Reasoning").selectOption("off");
                    dialog.getByLabel("Speculative decoding").selectOption("off");
                });
        Request request =
                tab.page().waitForRequest(ScriptedChat.ROUTE, () -> tab.ask(ChatPage.LONG));
        JsonNode body = JsonMapper.shared().readTree(request.postData());
        tab.awaitEnd();

        assertEquals("Be brief.", body.at("/messages/0/content").stringValue());
        assertEquals(0.5, body.path("temperature").doubleValue());
        assertEquals(7, body.path("top_k").intValue());
        assertEquals(3, body.path("max_tokens").intValue());
        assertFalse(body.path("enable_thinking").booleanValue());
        assertFalse(body.path("speculative").booleanValue());
        assertFalse(body.has("seed"), body::toString);
        assertThat(tab.lastAnswer().locator(".facts")).containsText("the token limit");
        settings(
                dialog -> {
                    assertThat(dialog.getByLabel("Temperature")).hasValue("0.5");
                    dialog.getByRole(
                                    AriaRole.BUTTON,
                                    new Locator.GetByRoleOptions().setName("Reset").setExact(true))
                            .click();
                    assertThat(dialog.getByLabel("System prompt")).hasValue("");
                });
    }

    @Test
    @Tag("nightly")
    void responseIsStoppedAndContinued() {
        tab.ask(ChatPage.LONG);
        tab.awaitWords(20);
        tab.page().keyboard().press("Escape");
        tab.awaitEnd();

        assertThat(tab.lastAnswer().locator(".facts")).containsText("Stopped");
        assertThat(tab.announcement()).hasText("The response was stopped");
        String before = tab.lastText();
        assertTrue(before.startsWith("1, 2, 3"), before);
        tab.button("Continue").click();
        tab.awaitWords(before.length() + 20);
        tab.button("Stop").click();
        tab.awaitEnd();
        assertTrue(tab.lastText().startsWith(before), tab.lastText());
        assertThat(tab.question()).isFocused();
        assertEquals(List.of(), tab.complaints());
    }

    @Test
    @Tag("nightly")
    void generationSurvivesTheTab() {
        tab.ask(ChatPage.LONG);
        tab.awaitWords(20);
        String address = tab.page().url();
        tab.page().close();
        ChatPage back = ChatPage.open(person, address);
        back.awaitWords(80);
        back.button("Stop").click();
        back.awaitEnd();

        assertTrue(
                back.lastText().startsWith("1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16"),
                back.lastText());
        assertEquals(1, back.messages("assistant").count());
        assertEquals(List.of(), back.complaints());
    }

    @Test
    @Tag("nightly")
    void secondTabWaitsForTheFirst() {
        tab.ask(ChatPage.LONG);
        tab.awaitWords(20);
        ChatPage second = ChatPage.open(person, tab.page().url());
        assertThat(second.lastAnswer()).containsText("Another tab writes this response…");
        tab.awaitWords(60);
        tab.button("Stop").click();
        tab.awaitEnd();
        second.awaitEnd();

        assertEquals(tab.lastText(), second.lastText());
        assertEquals(List.of(), second.complaints());
    }

    @Test
    void responseWithAnExpiredStreamIsContinued() {
        tab.ask(ChatPage.LONG);
        tab.awaitWords(40);
        String address = tab.page().url();
        // It reads what the first tab has saved: otherwise there would be nothing to continue.
        ChatPage reader = ChatPage.open(person, address);
        reader.awaitWords(20);
        reader.page().close();
        tab.page().close();
        ChatPage back = ChatPage.blank(person);
        List<String> expired = new ArrayList<>();
        back.page()
                .route(
                        "**/v1/streams/*",
                        route -> {
                            expired.add(route.request().url());
                            route.fulfill(
                                    new Route.FulfillOptions()
                                            .setStatus(404)
                                            .setBody(
                                                    "{\"error\": {\"code\":"
                                                            + " \"stream_not_found\"}}"));
                        });
        Request request =
                back.page().waitForRequest(ScriptedChat.ROUTE, () -> back.page().navigate(address));

        assertTrue(
                request.postData().contains("\"continue_final_message\":true"), request.postData());
        expired.forEach(url -> person.request().delete(url));
        back.awaitWords(100);
        back.page().unroute("**/v1/streams/*");
        back.button("Stop").click();
        back.awaitEnd();
        assertTrue(back.lastText().startsWith("1, 2, 3, 4, 5, 6, 7, 8, 9, 10"), back.lastText());
    }

    @Test
    @Tag("nightly")
    void generationContinuesWhileOtherViewsAreOpen() {
        tab.ask(ChatPage.LONG);
        tab.awaitWords(20);
        tab.page().getByRole(AriaRole.LINK, new Page.GetByRoleOptions().setName("Cache")).click();
        assertThat(tab.question()).hasCount(0);
        tab.page().goBack();
        tab.awaitWords(60);

        assertThat(tab.button("Stop")).isVisible();
        tab.button("Stop").click();
        tab.awaitEnd();
        assertTrue(tab.lastText().startsWith("1, 2, 3, 4, 5, 6, 7, 8, 9, 10"), tab.lastText());
    }

    @Test
    @Tag("nightly")
    void responseIsEditedOrRegenerated() {
        tab.askAndWait("What is 7 + 5?");
        tab.button("Edit response").click();
        tab.page().getByLabel("Edited message").fill("It is *twelve*.");
        tab.button("Save").click();
        assertThat(tab.lastAnswer().locator(".text.rich").last()).hasText("It is twelve.");
        assertThat(tab.lastAnswer().locator(".versions")).hasText("1/2");
        tab.button("Regenerate").click();

        assertThat(tab.lastAnswer()).containsText("7 + 5 = 12.");
        tab.awaitEnd();
        assertThat(tab.messages("assistant")).hasCount(1);
        assertThat(tab.lastAnswer().locator(".versions")).hasText("3/3");
    }

    @Test
    @Tag("nightly")
    void conversationsAreExported() throws Exception {
        tab.askAndWait("What is 7 + 5?");

        Download json = tab.page().waitForDownload(() -> tab.choose("Export as JSON"));
        assertEquals("what-is-7-5.json", json.suggestedFilename());
        JsonNode chat = JsonMapper.shared().readTree(Files.readString(json.path()));
        assertEquals("What is 7 + 5?", chat.at("/messages/0/content").stringValue());
        assertTrue(chat.at("/messages/1/facts/timings/decode_ms").doubleValue() > 0);
        Download text = tab.page().waitForDownload(() -> tab.choose("Export as Markdown"));
        assertTrue(Files.readString(text.path()).contains("## You\n\nWhat is 7 + 5?\n\n## "));
    }

    @Test
    void conversationsAreStoredUntilDeleted() {
        tab.askAndWait("What is 7 + 5?");
        tab.button("New chat").click();
        assertThat(tab.messages("user")).hasCount(0);
        tab.askAndWait("What is 2 + 2?");
        Locator chats = tab.page().locator(".chats a");
        assertThat(chats).hasText(new String[] {"What is 2 + 2?", "What is 7 + 5?"});
        chats.last().click();
        assertThat(tab.messages("user")).hasText("What is 7 + 5?");
        tab.page().locator(".chats li").last().hover();
        tab.button("Delete “What is 7 + 5?”").click();
        dialog("Delete “What is 7 + 5?”?", "Delete");
        assertThat(chats).hasText(new String[] {"What is 2 + 2?"});
        assertThat(tab.messages("user")).hasCount(0);
        tab.button("Delete all").click();
        dialog("Delete all conversations in this browser?", "Delete all");

        assertThat(chats).hasCount(0);
        tab.page().reload();
        assertThat(tab.question()).isVisible();
        assertThat(chats).hasCount(0);
    }

    @Test
    @Tag("nightly")
    void codeIsCopied() {
        person.grantPermissions(List.of("clipboard-read", "clipboard-write"));
        ScriptedChat.answers(tab.page(), "", "So:\n\n```java\nint a = 1;\nint b;\n```\n");
        tab.askAndWait("Show me code");

        tab.button("Copy code").click();

        assertThat(tab.announcement()).hasText("Copied");
        assertEquals(
                "int a = 1;\nint b;",
                tab.page().evaluate("navigator.clipboard.readText()").toString().strip());
    }

    @Test
    @Tag("nightly")
    void scrolledViewReturnsToTheEnd() {
        ScriptedChat.answers(tab.page(), "", "A line.\n\n".repeat(80));
        tab.askAndWait("Tell me much");
        Locator end = tab.button("To the end");
        assertThat(end).isHidden();
        tab.page().evaluate("document.querySelector('.scroller').scrollTop = 0");
        assertThat(end).isVisible();

        end.click();

        assertThat(end).isHidden();
        tab.page()
                .waitForFunction(
                        """
                        () => {
                            const {scrollHeight, scrollTop, clientHeight} = document.querySelector('.scroller');
                            return scrollHeight - scrollTop - clientHeight < 5;
                        }
                        """);
    }

    @Test
    @Tag("nightly")
    void chosenModelGetsTheRequest() throws Exception {
        tab.page().route("**/v1/models", route -> ScriptedChat.lists(route, "first", "second"));
        tab.page().reload();
        Locator model = tab.page().locator("select.model");
        assertThat(model).hasValue("first");
        model.selectOption("second");
        ScriptedChat.answers(tab.page(), "", "Yes.");

        Request request = tab.page().waitForRequest(ScriptedChat.ROUTE, () -> tab.ask("Hello?"));

        JsonNode body = JsonMapper.shared().readTree(request.postData());
        assertEquals("second", body.path("model").stringValue());
        tab.awaitEnd();
    }

    @Test
    @Tag("nightly")
    void keyboardNavigationIsComplete() {
        tab.question().fill("What is");
        tab.question().press("Shift+Enter");
        tab.page().keyboard().type("7 + 5?");
        tab.question().press("Enter");
        tab.awaitEnd();

        assertThat(tab.messages("user").locator(".bubble")).hasText("What is\n7 + 5?");
        tab.page().reload();
        assertThat(tab.question()).isFocused();
        tab.page().locator(".brand").focus();
        tab.page().keyboard().press("Shift+Tab");
        assertThat(tab.page().getByText("Skip to content")).isFocused();
        tab.page().keyboard().press("Enter");
        assertThat(tab.page().locator("main")).isFocused();
        assertThat(tab.messages("user")).hasCount(1);
    }

    @Test
    @Tag("nightly")
    void errorsAreShownInPlainText() {
        ScriptedChat.refuses(tab.page(), 429, "queue_full", "64 requests wait");
        tab.ask("What is 7 + 5?");
        Locator error = tab.lastAnswer().locator(".error");
        assertThat(error).containsText("The queue of the server is full.");
        ScriptedChat.ends(tab.page());
        ScriptedChat.refuses(tab.page(), 503, "model_loading", "Loading model");
        error.getByRole(AriaRole.BUTTON).click();
        assertThat(tab.lastAnswer()).containsText("The server loads the model…");
        ScriptedChat.ends(tab.page());

        assertThat(tab.lastAnswer()).containsText("7 + 5 = 12.");
        tab.awaitEnd();
        person.setOffline(true);
        tab.ask("What is 2 + 2?");
        Locator notice = tab.page().locator("#notice");
        assertThat(notice).hasText("The server does not respond. Retrying…");
        assertThat(tab.lastAnswer().locator(".error")).containsText("does not respond");
        person.setOffline(false);
        assertThat(notice).isHidden();
        tab.lastAnswer().getByRole(AriaRole.BUTTON).first().click();
        assertThat(tab.lastAnswer()).containsText("2 + 2 = 4.");
    }

    private interface Change {
        void in(Locator dialog);
    }

    private void settings(Change change) {
        tab.button("Settings").click();
        Locator dialog = tab.page().getByRole(AriaRole.DIALOG);
        change.in(dialog);
        tab.button("Done").click();
        assertThat(dialog).hasCount(0);
    }

    private static Locator fold(Locator dialog, String name) {
        return dialog.locator("summary")
                .getByText(name, new Locator.GetByTextOptions().setExact(true));
    }

    private void dialog(String question, String choice) {
        Locator dialog = tab.page().getByRole(AriaRole.ALERTDIALOG);
        assertThat(dialog).containsText(question);
        dialog.getByRole(
                        AriaRole.BUTTON,
                        new Locator.GetByRoleOptions().setName(choice).setExact(true))
                .click();
    }
}
