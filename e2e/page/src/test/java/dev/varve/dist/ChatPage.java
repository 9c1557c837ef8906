package dev.varve.dist;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;

import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.AriaRole;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** The server's page in a tab, and what it complains of. */
record ChatPage(Page page, List<String> complaints) {
    /** The folder of screenshots for human review. */
    static final Path PICTURES = Varve.INSTALLATION.resolveSibling("screenshots");

    /** Greedily the demo model counts on until it is stopped. */
    static final String LONG = "Count from 1 to 200.";

    private static final double SLOW_MILLIS = 30_000;

    static {
        com.microsoft.playwright.assertions.PlaywrightAssertions.setDefaultAssertionTimeout(
                SLOW_MILLIS);
    }

    /** A tab that shows nothing yet, and whose chats take the likeliest token. */
    static ChatPage blank(BrowserContext context) {
        context.addInitScript(
                """
                try {
                    localStorage['varve.settings'] ??= '{"temperature": "0"}';
                } catch {
                    // An empty page has no store.
                }
                """);
        List<String> complaints = new CopyOnWriteArrayList<>();
        Page page = context.newPage();
        page.setDefaultTimeout(SLOW_MILLIS);
        page.onConsoleMessage(
                message -> {
                    if (List.of("error", "warning").contains(message.type())) {
                        complaints.add(message.text());
                    }
                });
        page.onPageError(complaints::add);
        return new ChatPage(page, complaints);
    }

    static ChatPage open(BrowserContext context, String url) {
        ChatPage tab = blank(context);
        tab.page.navigate(url);
        assertThat(tab.question()).isVisible();
        return tab;
    }

    Locator question() {
        return page.getByLabel("Your message");
    }

    Locator button(String name) {
        return page.getByRole(
                AriaRole.BUTTON, new Page.GetByRoleOptions().setName(name).setExact(true));
    }

    /** The messages of one role. */
    Locator messages(String role) {
        return page.locator(".message." + role);
    }

    Locator lastAnswer() {
        return messages("assistant").last();
    }

    String lastText() {
        return lastAnswer().locator(".text.rich").last().innerText();
    }

    void ask(String text) {
        question().fill(text);
        question().press("Enter");
    }

    /** Asks, and waits for the end of the answer. */
    void askAndWait(String text) {
        int before = messages("assistant").count();
        ask(text);
        assertThat(messages("assistant")).hasCount(before + 1);
        awaitEnd();
    }

    void awaitEnd() {
        assertThat(lastAnswer()).hasAttribute("aria-busy", "false");
    }

    /** Waits until some of the last answer is there. */
    void awaitWords(int characters) {
        page.waitForFunction(
                """
                least => [...document.querySelectorAll('.message.assistant .text.rich')].at(-1)
                    ?.textContent.length >= least
                """,
                characters);
    }

    /** Chooses an action of the menu. */
    void choose(String action) {
        button("More").click();
        button(action).click();
    }

    /** The element with the last announcement to screen readers. */
    Locator announcement() {
        return page.locator("#announcer");
    }

    void picture(String name) {
        page.screenshot(new Page.ScreenshotOptions().setPath(PICTURES.resolve(name + ".png")));
    }
}
