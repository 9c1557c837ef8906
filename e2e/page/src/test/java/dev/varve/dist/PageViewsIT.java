package dev.varve.dist;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.options.AriaRole;
import com.microsoft.playwright.options.ColorScheme;

import dev.varve.testkit.Await;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Pattern;

/** The page shows the server's work. The tests press each button in a real browser. */
@Timeout(240)
class PageViewsIT {
    private static final List<String> VIEWS =
            List.of("placement", "cache", "requests", "speculation");

    /** The demo model counts until it has as many tokens as it may have. */
    private static final int LONG = 3000;

    /** As many as fit the context of the model, for a test that uses several dialogs meanwhile. */
    private static final int LONGEST = 8000;

    @TempDir static Path folder;

    private static PageBrowser browser;
    private static Varve varve;
    private static Varve.Server server;

    private BrowserContext person;
    private ChatPage tab;

    @BeforeAll
    static void start() throws Exception {
        browser = SharedPage.browser();
        varve = new Varve(Varve.INSTALLATION, folder);
        server =
                DemoServer.start(
                        varve,
                        "--target-devices",
                        "cpu:0,cpu:0@process",
                        "--draft",
                        "ngram",
                        "--max-ctx",
                        4096);
    }

    @AfterAll
    static void stop() {
        Optional.ofNullable(server).ifPresent(Varve.Server::close);
    }

    @BeforeEach
    void open() {
        person = browser.desktop();
        tab = ChatPage.blank(person);
    }

    @AfterEach
    void leave() {
        person.close();
    }

    private void look(String view) {
        tab.page().navigate(server.url() + "/#/" + view);
    }

    private Locator card(String heading) {
        return tab.page()
                .locator("section.card")
                .filter(
                        new Locator.FilterOptions()
                                .setHas(
                                        tab.page()
                                                .getByRole(
                                                        AriaRole.HEADING,
                                                        new Page.GetByRoleOptions()
                                                                .setName(heading)
                                                                .setExact(true))));
    }

    private static LongAnswer ask(String question, int tokens) {
        return new LongAnswer(server.url(), question, tokens, Optional.empty());
    }

    /** Whether the child runs the shard program: before exec, the server waits for it. */
    private static boolean isShard(ProcessHandle process) {
        return process.info()
                .commandLine()
                .filter(line -> line.contains("--supervised"))
                .isPresent();
    }

    private static void signal(ProcessHandle process, String name) throws Exception {
        assertEquals(
                0,
                new ProcessBuilder("kill", name, Long.toString(process.pid())).start().waitFor());
    }

    @Test
    @Tag("nightly")
    void shardLossAndRecoveryAreShown() throws Exception {
        look("placement");
        Locator fate = card("When a shard fails");
        assertThat(fate).containsText("All shards are ready");
        assertThat(tab.page().locator(".picture .shard")).hasCount(2);
        assertThat(tab.page().locator(".picture"))
                .hasAttribute(
                        "aria-label",
                        Pattern.compile(
                                "Layers 0 to .*cpu:0@process, its own, process \\d+, ready"));
        assertThat(card("Memory")).containsText("Weights");
        try (LongAnswer answer = ask(ChatPage.LONG, LONG)) {
            look("requests");
            assertThat(tab.page().getByText("Decode")).isVisible();
            look("placement");
            assertThat(fate).containsText("All shards are ready");
            List<ProcessHandle> lost = server.children();
            // As kill -9 does.
            lost.forEach(ProcessHandle::destroyForcibly);
            // The page polls once a second. It may miss a shard that restarts at once.
            ProcessHandle next =
                    Await.value(
                                    "a new shard",
                                    () ->
                                            server.children().stream()
                                                    .filter(each -> !lost.contains(each))
                                                    .filter(PageViewsIT::isShard)
                                                    .findFirst(),
                                    Optional::isPresent)
                            .orElseThrow();
            signal(next, "-STOP");
            assertThat(fate).containsText(Pattern.compile("Lost|Loading"));
            assertThat(fate).containsText("One request waits");
            assertThat(fate).containsText("shard_missing");
            assertThat(tab.page().locator(".picture .shard-lost")).hasCount(1);
            tab.picture("placement-lost");
            signal(next, "-CONT");

            assertThat(fate).containsText("All shards are ready");
            assertThat(fate).containsText(Pattern.compile("was lost .* ago .*was back after"));
            assertThat(tab.page().locator("#announcer")).hasText("All shards are back.");
            assertThat(card("Shards").locator("tbody tr").last().locator("td").last()).hasText("1");
            assertTrue(answer.await().contains("[DONE]"), "the request went on");
        }
        assertEquals(List.of(), tab.complaints());
    }

    @Test
    @Tag("nightly")
    void eachReplicaHasADiagramAndADownReplicaIsMarked() {
        String real = tab.page().request().get(server.url() + "/status").text();
        AtomicReference<String> state = new AtomicReference<>("ready");
        tab.page()
                .route(
                        Pattern.compile("/status$"),
                        route ->
                                route.fulfill(
                                        new Route.FulfillOptions()
                                                .setContentType("application/json")
                                                .setBody(TwoReplicas.status(real, state.get()))));
        look("placement");
        Locator fate = card("When a shard fails");
        Locator replicas = tab.page().locator(".replica");
        assertThat(fate).containsText("All shards are ready");
        assertThat(fate).containsText("continue on another replica at once");
        assertThat(replicas).hasCount(2);
        assertThat(replicas.last()).containsText("Replica 1");
        assertThat(replicas.last()).containsText("Accepts requests");
        assertThat(replicas.last())
                .containsText("1 request moved to other replicas, restarted 3 times");
        // No way leads from the last layers of one to the first of the other.
        assertThat(replicas.first().locator(".picture .shard")).hasCount(2);
        assertThat(replicas.last().locator(".picture .arrow")).hasCount(1);
        assertThat(card("Shards").locator("tbody tr")).hasCount(5);
        assertThat(card("Hits")).containsText("Prefill server");
        assertThat(card("Shards").locator("tbody tr").last().locator("th")).hasText("1");
        PageCheck.isReadable(tab.page());

        state.set("recovering");
        assertThat(fate).containsText(Pattern.compile("Lost.* of replica 1"));
        assertThat(fate).containsText("on the other replica at once");
        assertThat(replicas.last()).containsText("Lacks a shard");
        assertThat(tab.page().locator(".picture .shard-lost")).hasCount(1);
        state.set("down");
        assertThat(replicas.last()).containsText("Down");
        assertThat(fate).containsText("Made for the test. The server loads it again.");
        assertThat(fate).containsText("on the other replica at once");
        assertThat(fate).not().containsText("All shards are ready");
        assertThat(tab.page().locator(".picture .shard-lost")).hasCount(2);
        assertThat(tab.announcement()).hasText("Lost: replica 1.");
        tab.picture("placement-replicas");
        state.set("ready");

        assertThat(fate).containsText("All shards are ready");
        // Nothing is to be answered while the tab closes.
        tab.page().unrouteAll();
        assertEquals(List.of(), tab.complaints());
    }

    @Test
    void requestIsCancelledFromTheList() throws Exception {
        look("requests");
        assertThat(tab.page().getByText("The server has no requests.")).isVisible();
        try (LongAnswer answer = ask(ChatPage.LONG, LONG)) {
            Locator row = tab.page().locator(".listing tbody tr");
            assertThat(row).containsText("Count from 1 to 200.");
            assertThat(row).containsText("Decode");
            assertThat(row).containsText("tokens/s");
            tab.picture("requests");
            row.getByRole(AriaRole.BUTTON).click();

            assertThat(tab.page().getByText("The server has no requests.")).isVisible();
            assertThat(tab.page().locator("#announcer")).hasText("The request was cancelled.");
            String events = answer.await();
            assertTrue(events.contains("request_cancelled"), events);
            assertFalse(events.contains("[DONE]"), events);
        }
        assertEquals(List.of(), tab.complaints());
    }

    @Test
    @Tag("nightly")
    void barsOfSharesShowTheShareOfTheTotal() {
        ObjectNode status =
                (ObjectNode)
                        JsonMapper.shared()
                                .readTree(
                                        tab.page().request().get(server.url() + "/status").text());
        ObjectNode cache = (ObjectNode) status.get("cache");
        cache.putObject("hits").put("device", 1).put("host", 3);
        cache.putObject("saved_tokens").put("device", 10).put("host", 30);
        tab.page()
                .route(
                        Pattern.compile("/status$"),
                        route ->
                                route.fulfill(
                                        new Route.FulfillOptions()
                                                .setContentType("application/json")
                                                .setBody(status.toString())));
        look("cache");

        Locator shares = card("Hits").locator("tbody tr .share");
        assertThat(shares).hasText(new String[] {"25 %", "75 %"});
        assertThat(shares.last().locator("rect").last()).hasAttribute("width", "750.0");
        tab.page().unrouteAll();
        assertEquals(List.of(), tab.complaints());
    }

    @Test
    void cacheViewShowsHitsAndClears() throws Exception {
        for (int time = 0; time < 2; time++) {
            try (LongAnswer answer = ask("What is 7 + 5? " + "Think well. ".repeat(30), 3)) {
                answer.await();
            }
        }
        look("cache");
        assertThat(card("Hits").locator("tbody tr")).hasCount(5);
        assertThat(card("Hits")).containsText("Prefill server");
        assertThat(card("Misses")).containsText("No match");
        assertThat(card("Effect").locator("dd").first()).hasText(Pattern.compile("\\d+ %"));
        assertThat(card("Tiers")).containsText("Host memory");
        tab.button("Show entries").click();
        assertThat(card("Entries of host memory").locator("tbody tr").first()).isVisible();
        tab.picture("cache");
        tab.page().setViewportSize(390, 844);
        PageCheck.fits(tab.page());
        PageCheck.isReadable(tab.page());
        tab.page().setViewportSize(1280, 860);
        tab.button("Clear the cache").click();
        tab.page().keyboard().press("Escape");
        assertThat(tab.page().getByRole(AriaRole.ALERTDIALOG)).hasCount(0);
        assertThat(tab.page().getByText("The cache is empty.")).hasCount(0);
        tab.button("Clear the cache").click();
        tab.page()
                .getByRole(AriaRole.ALERTDIALOG)
                .getByRole(
                        AriaRole.BUTTON, new Locator.GetByRoleOptions().setName("Clear the cache"))
                .click();

        assertThat(tab.page().getByText("The cache is empty.")).isVisible();
        tab.button("Show entries").click();
        assertThat(card("Entries of host memory")).containsText("0 in all");
        assertEquals(List.of(), tab.complaints());
    }

    @Test
    @Tag("nightly")
    void draftTokensAreShownByDraftLength() throws Exception {
        try (LongAnswer answer = ask(ChatPage.LONG, 200)) {
            answer.await();
        }
        look("speculation");

        assertThat(card("Draft tokens from ngram").locator("dd").first())
                .hasText(Pattern.compile("[\\d.]+"));
        assertThat(card("Draft length")).isVisible();
        assertThat(card("Accepted draft tokens")).isVisible();
        assertThat(card("Paging")).containsText("--kvflash");
        tab.picture("speculation");
        assertEquals(List.of(), tab.complaints());
    }

    @Test
    @Tag("nightly")
    void textOfAnotherKeyIsNotShown() throws Exception {
        try (Varve.Server closed =
                        DemoServer.start(
                                varve,
                                "--api-key",
                                "one",
                                "--api-key",
                                "two",
                                "--operator-key",
                                "op",
                                "--max-ctx",
                                8192);
                LongAnswer answer =
                        new LongAnswer(closed.url(), ChatPage.LONG, LONGEST, Optional.of("one"))) {
            tab.page().navigate(closed.url() + "/#/requests");
            key("API key", "two");
            Locator row = tab.page().locator(".listing tbody tr");
            assertThat(row).containsText("Request of another key: its text is not shown");
            assertThat(row).containsText("Not yours");
            assertThat(row.getByRole(AriaRole.BUTTON)).hasCount(0);
            assertFalse(tab.page().content().contains("Count from"), tab.page().content());
            tab.picture("requests-of-others");

            tab.button("Use the operator key").click();
            key("Operator key", "two");
            row.getByRole(AriaRole.BUTTON).click();
            assertThat(card("Requests")).containsText("That is not the operator key.");
            assertThat(row).containsText("Not yours");
            tab.button("Use the operator key").click();
            key("Operator key", "op");
            assertThat(row.getByRole(AriaRole.BUTTON)).isVisible();
            assertThat(tab.button("Use the operator key")).hasCount(0);
            // The operator may cancel the request but may not read its text.
            assertThat(row).containsText("Request of another key: its text is not shown");
            row.getByRole(AriaRole.BUTTON).click();
            assertTrue(answer.await().contains("request_cancelled"));
            assertThat(tab.announcement()).hasText("The request was cancelled.");
            tab.button("Forget the key").click();

            tab.page().navigate(closed.url() + "/#/cache");
            key("API key", "two");
            tab.button("Show entries").click();
            card("Entries of host memory")
                    .getByRole(
                            AriaRole.BUTTON,
                            new Locator.GetByRoleOptions().setName("Use the operator key"))
                    .click();
            key("Operator key", "op");

            assertThat(card("Entries of host memory")).containsText("in all");
            tab.button("Forget the key").click();
            try (LongAnswer own =
                    new LongAnswer(closed.url(), ChatPage.LONG, LONG, Optional.of("one"))) {
                tab.page().navigate(closed.url() + "/#/requests");
                key("API key", "one");
                assertThat(row).containsText("Count from 1 to 200.");
                row.getByRole(AriaRole.BUTTON).click();
                assertTrue(own.await().contains("request_cancelled"));
            }
        }
    }

    @Test
    void keyIsRequestedAndStoredInTheTabOnly() throws Exception {
        try (Varve.Server closed = DemoServer.start(varve, "--api-key", "open sesame")) {
            tab.page().navigate(closed.url());
            key("API key", "wrong");
            assertThat(tab.page().getByRole(AriaRole.DIALOG))
                    .containsText("does not accept that key");
            key("API key", "open sesame");
            tab.askAndWait("What is 7 + 5?");

            assertThat(tab.lastAnswer()).containsText("7 + 5 = 12.");
            assertEquals("open sesame", tab.page().evaluate("sessionStorage['varve.apiKey']"));
            assertFalse(
                    tab.page()
                            .evaluate("JSON.stringify(localStorage) + document.cookie")
                            .toString()
                            .contains("sesame"));
            tab.page().reload();
            assertThat(tab.lastAnswer()).containsText("7 + 5 = 12.");
            tab.button("Forget the key").click();
            assertThat(tab.page().getByRole(AriaRole.DIALOG)).isVisible();
        }
    }

    @Test
    @Tag("nightly")
    void declinedKeyPromptIsNotRepeated() throws Exception {
        try (Varve.Server closed = DemoServer.start(varve, "--api-key", "one")) {
            Locator dialog = tab.page().getByRole(AriaRole.DIALOG);
            tab.page().navigate(closed.url() + "/#/placement");
            tab.button("Cancel").click();
            for (String view : VIEWS) {
                tab.page().navigate(closed.url() + "/#/" + view);
                // While a key is asked for, nothing else is.
                awaitRefusal();
                awaitRefusal();
                assertThat(dialog).hasCount(0);
                assertThat(tab.button("Use a key")).isVisible();
            }
            PageCheck.isReadable(tab.page());
            tab.page().navigate(closed.url() + "/#/chat");
            assertThat(tab.page().locator(".chat .trouble")).isVisible();
            assertThat(dialog).hasCount(0);
            tab.ask("What is 7 + 5?");
            assertThat(dialog).isVisible();
            tab.button("Cancel").click();

            tab.page().navigate(closed.url() + "/#/placement");
            tab.button("Use a key").click();
            key("API key", "two");
            assertThat(dialog).hasCount(0);
            tab.button("Use a key").click();
            assertThat(dialog).containsText("does not accept that key");
            key("API key", "one");
            assertThat(card("Shards")).isVisible();
            assertThat(tab.button("Use a key")).hasCount(0);
        }
    }

    private void awaitRefusal() {
        tab.page().waitForResponse(response -> response.status() == 401, () -> {});
    }

    @Test
    @Tag("nightly")
    void unsendableKeyIsRefusedWithAMessage() throws Exception {
        try (Varve.Server closed = DemoServer.start(varve, "--api-key", "one")) {
            tab.page().navigate(closed.url() + "/#/requests");
            Locator dialog = tab.page().getByRole(AriaRole.DIALOG);
            for (String key : List.of("ключ", "“one”", "on\u0435")) {
                key("API key", key);
                assertThat(dialog).containsText("curly quotes");
                tab.page().getByLabel("API key").last().fill("");
                assertThat(dialog).not().containsText("curly quotes");
            }
            key("API key", " one ");

            assertThat(card("Now")).isVisible();
            assertThat(tab.page().locator("#notice")).isHidden();
        }
    }

    @Test
    @Tag("nightly")
    void fractionsMayHaveAnyNumberOfDigits() {
        tab.page().navigate(server.url());
        tab.button("Settings").click();
        Locator dialog = tab.page().getByRole(AriaRole.DIALOG);
        Locator sampling = dialog.locator("details").first();
        tab.page().getByLabel("Temperature").fill("7");
        sampling.locator("summary").click();
        assertThat(sampling).not().hasAttribute("open", "");
        tab.button("Done").click();
        assertThat(sampling).hasAttribute("open", "");
        assertThat(tab.page().getByLabel("Temperature")).isFocused();
        tab.page().getByLabel("Temperature").fill("0.72");
        tab.page().getByLabel("Top p").fill("0.995");
        tab.page().getByLabel("Min p").fill("0.005");
        tab.button("Use for new chats").click();
        tab.button("Done").click();

        assertThat(dialog).hasCount(0);
        String kept = tab.page().evaluate("localStorage['varve.settings']").toString();
        assertTrue(kept.contains("\"0.72\""), kept);
        assertTrue(kept.contains("\"0.995\""), kept);
        assertTrue(kept.contains("\"0.005\""), kept);
        assertEquals(List.of(), tab.complaints());
    }

    @Test
    @Tag("nightly")
    void requestsOfAllModelsAreListedUntilOneIsChosen() throws Exception {
        Path other = Varve.INSTALLATION.resolve("models/varve-demo-laguna.gguf");
        try (Varve.Server two = DemoServer.start(varve, "--model", other, "--max-ctx", 4096);
                LongAnswer answer =
                        new LongAnswer(two.url(), ChatPage.LONG, LONG, Optional.empty())) {
            tab.page().navigate(two.url() + "/#/requests");
            Locator model = tab.page().getByLabel("Model");
            Locator row = tab.page().locator(".listing tbody tr");
            assertThat(model).hasValue("");
            assertThat(row).containsText("Count from 1 to 200.");
            model.selectOption("varve-demo-laguna");
            assertThat(tab.page().getByText("This model has no requests.")).isVisible();
            model.selectOption("All models");
            assertThat(row).containsText("Count from 1 to 200.");
            tab.page().navigate(two.url() + "/#/cache");
            assertThat(model).hasValue("varve-demo-qwen35");
            assertTrue(answer.await().contains("[DONE]"), "the answer went on");
        }
        assertEquals(List.of(), tab.complaints());
    }

    private void key(String label, String key) {
        tab.page().getByLabel(label).last().fill(key);
        tab.button("Use key").click();
    }

    /**
     * Has a long question answered, and shows a page the list of requests as it was meanwhile for
     * as long as it looks: how soon an answer ends depends on the machine.
     */
    private static void showRunning(Page page) throws Exception {
        String running;
        try (LongAnswer answer = ask(ChatPage.LONG, LONG)) {
            running =
                    Await.value(
                            "a request that is being answered",
                            () -> page.request().get(server.url() + "/requests").text(),
                            list -> list.contains("\"decode\""));
            answer.await();
        }
        page.route(
                Pattern.compile("/requests(\\?|$)"),
                route ->
                        route.fulfill(
                                new Route.FulfillOptions()
                                        .setContentType("application/json")
                                        .setBody(running)));
    }

    @Test
    @Tag("nightly")
    void allViewsAreReadableInLightAndDark() throws Exception {
        showRunning(tab.page());
        for (ColorScheme colours : List.of(ColorScheme.LIGHT, ColorScheme.DARK)) {
            tab.page().emulateMedia(new Page.EmulateMediaOptions().setColorScheme(colours));
            for (String view : VIEWS) {
                look(view);
                assertThat(tab.page().locator(".view-body .card").first()).isVisible();
                tab.picture(view + "-" + colours.name().toLowerCase(java.util.Locale.ROOT));
                PageCheck.isReadable(tab.page());
            }
        }
        // Nothing is to be answered while the tab closes.
        tab.page().unrouteAll();
        assertEquals(List.of(), tab.complaints());
    }

    @Test
    @Tag("nightly")
    void viewsFitAPhone() throws Exception {
        try (BrowserContext small = browser.phone()) {
            ChatPage phone = ChatPage.blank(small);
            showRunning(phone.page());
            for (String view : VIEWS) {
                phone.page().navigate(server.url() + "/#/" + view);
                assertThat(phone.page().locator(".view-body .card").first()).isVisible();
                phone.picture("phone-" + view);
                PageCheck.isReadable(phone.page());
                PageCheck.isTouchable(phone.page());
                for (int height : List.of(740, 844)) {
                    phone.page().setViewportSize(height == 740 ? 360 : 390, height);
                    PageCheck.fits(phone.page());
                }
            }
            phone.page().unrouteAll();
            assertEquals(List.of(), phone.complaints());
        }
    }
}
