package dev.varve.dist;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.AriaRole;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;

/** The page keeps its conversations intact with several tabs, hasty users and odd texts. */
@Tag("nightly")
@Timeout(180)
class PageTabsIT {
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

    private static void agree(ChatPage where, String choice) {
        where.page()
                .getByRole(AriaRole.ALERTDIALOG)
                .getByRole(
                        AriaRole.BUTTON,
                        new Locator.GetByRoleOptions().setName(choice).setExact(true))
                .click();
    }

    @Test
    void tabsOfOneConversationShareMessages() {
        tab.askAndWait("What is 7 + 5?");
        ChatPage second = ChatPage.open(person, tab.page().url());
        assertThat(second.messages("user")).hasCount(1);

        tab.askAndWait("What is 2 + 2?");
        assertThat(second.messages("user")).hasCount(2);
        assertThat(second.lastAnswer()).containsText("2 + 2 = 4.");
        second.awaitEnd();
        second.askAndWait("What is 3 + 4?");

        assertThat(tab.messages("user")).hasCount(3);
        assertThat(tab.lastAnswer()).containsText("3 + 4 = 7.");
        tab.page().reload();
        assertThat(tab.messages("user"))
                .hasText(new String[] {"What is 7 + 5?", "What is 2 + 2?", "What is 3 + 4?"});
        assertEquals(List.of(), tab.complaints());
        assertEquals(List.of(), second.complaints());
    }

    @Test
    void tabMayStopAResponseOfAnotherTab() {
        tab.ask(ChatPage.LONG);
        tab.awaitWords(20);
        ChatPage second = ChatPage.open(person, tab.page().url());
        assertThat(second.lastAnswer()).containsText("Another tab writes this response…");

        second.button("Stop").click();

        tab.awaitEnd();
        second.awaitEnd();
        assertEquals(tab.lastText(), second.lastText());
    }

    @ParameterizedTest
    @ValueSource(strings = {"Delete “Count from 1 to 200.”", "Delete all"})
    void deletedConversationIsNotRestoredByAnotherTab(String button) {
        tab.ask(ChatPage.LONG);
        tab.awaitWords(20);
        ChatPage second = ChatPage.open(person, server.url());
        second.page().locator(".chats li").first().hover();
        second.button(button).click();
        agree(second, button.startsWith("Delete all") ? button : "Delete");

        assertThat(second.page().locator(".chats a")).hasCount(0);
        assertThat(tab.page().locator(".trouble"))
                .hasText("This conversation was deleted in another tab.");
        assertThat(tab.messages("user")).hasCount(0);
        tab.page().reload();
        assertThat(tab.question()).isVisible();
        assertThat(tab.page().locator(".chats a")).hasCount(0);
        assertEquals(List.of(), tab.complaints());
        assertEquals(List.of(), second.complaints());
    }

    @Test
    void questionSentWhileAResponseIsEditedGetsAResponse() {
        tab.askAndWait("What is 7 + 5?");
        tab.button("Edit response").click();
        tab.askAndWait("What is 2 + 2?");
        assertThat(tab.lastAnswer()).containsText("2 + 2 = 4.");
        tab.page().getByLabel("Edited message").fill("Twelve");
        tab.button("Save").click();

        assertThat(tab.messages("assistant").first()).containsText("Twelve");
        tab.page().reload();
        assertThat(tab.messages("assistant").first()).containsText("Twelve");
        assertThat(tab.lastAnswer()).containsText("2 + 2 = 4.");
        assertEquals(List.of(), tab.complaints());
    }

    /** The browser's store takes its time, on a busy machine more than somebody types. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void questionSentBeforeTheStoreIsOpenIsSent(boolean looksElsewhere) {
        try (BrowserContext hasty = browser.desktop()) {
            hasty.addInitScript(
                    """
                    const gate = new Promise(resolve => { globalThis.letIn = resolve; });
                    const open = IDBFactory.prototype.open;
                    IDBFactory.prototype.open = function (...what) {
                        const real = open.apply(this, what);
                        return Object.defineProperties({}, {
                            result: {get: () => real.result},
                            error: {get: () => real.error},
                            onupgradeneeded: {set: heard => { real.onupgradeneeded = heard; }},
                            onblocked: {set: heard => { real.onblocked = heard; }},
                            onerror: {set: heard => { real.onerror = heard; }},
                            onsuccess: {set: heard => {
                                real.onsuccess = () => gate.then(heard);
                            }},
                        });
                    };
                    """);
            ChatPage early = ChatPage.open(hasty, server.url());

            early.ask("What is 7 + 5?");
            assertThat(early.question()).hasValue("");
            if (looksElsewhere) {
                early.page().getByRole(AriaRole.LINK, link("Cache")).click();
                assertThat(early.page().locator(".view-cache")).isVisible();
                early.page().getByRole(AriaRole.LINK, link("Chat")).click();
                assertThat(early.question()).hasValue("What is 7 + 5?");
            }
            early.page().evaluate("letIn()");
            if (looksElsewhere) {
                early.question().press("Enter");
            }

            assertThat(early.lastAnswer()).containsText("7 + 5 = 12.");
            assertThat(early.messages("user")).hasCount(1);
            assertEquals(List.of(), early.complaints());
        }
    }

    private static Page.GetByRoleOptions link(String name) {
        return new Page.GetByRoleOptions().setName(name).setExact(true);
    }

    @Test
    void questionSubmittedTwiceIsSentOnce() {
        tab.askAndWait("What is 7 + 5?");
        tab.messages("user").first().hover();
        tab.button("Edit message").click();
        Locator field = tab.page().getByLabel("Edited message");
        field.fill("What is 2 + 2?");
        field.evaluate(
                """
                field => {
                    for (let i = 0; i < 2; i++) {
                        field.dispatchEvent(new KeyboardEvent('keydown',
                            {key: 'Enter', ctrlKey: true, bubbles: true}));
                    }
                }
                """);

        assertThat(tab.lastAnswer()).containsText("2 + 2 = 4.");
        tab.awaitEnd();
        assertThat(tab.messages("user").locator(".bubble"))
                .hasText(new String[] {"What is 2 + 2?"});
        assertThat(tab.messages("user").locator(".versions")).hasText("2/2");
        assertThat(tab.messages("assistant")).hasCount(1);
    }

    @Test
    void lastSelectedConversationIsShown() {
        tab.askAndWait("What is 7 + 5?");
        String first = tab.page().url();
        tab.button("New chat").click();
        tab.askAndWait("What is 2 + 2?");

        tab.page()
                .evaluate(
                        """
                        hash => {
                            const own = location.hash;
                            location.hash = hash;
                            setTimeout(() => location.hash = own);
                        }
                        """,
                        first.substring(first.indexOf('#')));
        tab.askAndWait("What is 3 + 4?");

        assertThat(tab.messages("user")).hasText(new String[] {"What is 2 + 2?", "What is 3 + 4?"});
    }

    /** A parser of Markdown meets its limits before the reader does. */
    @ParameterizedTest
    @ValueSource(strings = {">", "> - ", "- "})
    void invalidMarkdownIsShownAsText(String part) {
        String text = part.repeat(5000) + "end of it";
        ScriptedChat.answers(tab.page(), "", text);
        tab.askAndWait("Say something odd");

        assertThat(tab.lastAnswer()).containsText("end of it");
        tab.page().reload();
        assertThat(tab.lastAnswer()).containsText("end of it");
        assertEquals(List.of(), tab.complaints());
    }

    /** Stores messages of a chat without a leaf, as an older page did, and opens it. */
    private void storeAndOpen(String messages) {
        tab.page()
                .evaluate(
                        """
                        () => new Promise((done, fail) => {
                            const opening = indexedDB.open('varve');
                            opening.onsuccess = () => {
                                const all = opening.result.transaction(['chats', 'messages'], 'readwrite');
                                all.objectStore('chats').put({id: 'odd'});
                                [%s].forEach((message, order) => all.objectStore('messages')
                                    .put({chat: 'odd', order, id: `m${order}`, ...message}));
                                all.oncomplete = () => done(opening.result.close());
                                all.onabort = fail;
                            };
                        })
                        """
                                .replace("%s", messages));
        tab.page().navigate(server.url() + "/#/chat/odd");
        tab.page().reload();
    }

    @Test
    void editedResponseOfAnOlderConversationIsKept() {
        storeAndOpen(
                """
                {role: 'user', content: 'One?'}, {role: 'assistant', content: 'First.'},
                {role: 'user', content: 'Two?'}, {role: 'assistant', content: 'Second.'}
                """);
        tab.messages("assistant").first().hover();
        tab.button("Edit response").first().click();
        tab.page().getByLabel("Edited message").fill("Edited.");
        tab.button("Save").click();
        assertThat(tab.messages("assistant").first().locator(".versions")).hasText("1/2");

        tab.page().reload();

        Locator texts = tab.page().locator(".message .bubble, .message .text.rich:visible");
        assertThat(texts).hasText(new String[] {"One?", "Edited.", "Two?", "Second."});
        assertThat(tab.messages("assistant").first().locator(".versions")).hasText("1/2");
        assertEquals(List.of(), tab.complaints());
    }

    @Test
    void failingStorageIsReportedAndTheConversationContinues() {
        tab.askAndWait("What is 7 + 5?");
        // A record of the same key exists: the request fails, and then the transaction.
        tab.page()
                .evaluate(
                        """
                        () => {
                            IDBObjectStore.prototype.put = function (value) { return this.add(value); };
                        }
                        """);

        tab.askAndWait("What is 2 + 2?");

        assertThat(tab.lastAnswer()).containsText("2 + 2 = 4.");
        assertThat(tab.page().locator(".chat .trouble"))
                .hasText("The browser’s storage does not respond: this conversation is not saved.");
        assertEquals(List.of(), tab.complaints());
    }

    /** The storage has an older state then, which must not replace the shown one. */
    @Test
    void editWithFailingStorageIsReportedAndNotLost() {
        tab.askAndWait("What is 7 + 5?");
        // As above: each change fails, as with full storage.
        tab.page()
                .evaluate(
                        """
                        () => {
                            IDBObjectStore.prototype.put = function (value) { return this.add(value); };
                        }
                        """);
        Locator trouble = tab.page().locator(".chat .trouble");
        String message = "The browser’s storage does not respond: this conversation is not saved.";

        tab.button("Edit response").first().click();
        tab.page().getByLabel("Edited message").fill("Edited.");
        tab.page().getByText("Save", new Page.GetByTextOptions().setExact(true)).click();

        assertThat(trouble).hasText(message);
        tab.askAndWait("What is 2 + 2?");
        assertThat(tab.messages("assistant").first()).containsText("Edited.");
        assertThat(tab.lastAnswer()).containsText("2 + 2 = 4.");
        assertThat(trouble).hasText(message);
        assertEquals(List.of(), tab.complaints());
    }

    /** Of an older page, or of somebody who looks around. */
    @Test
    void incompleteRecordsAreShown() {
        tab.askAndWait("What is 7 + 5?");
        storeAndOpen("{role: 'user'}, {role: 'assistant'}");

        assertThat(tab.messages("user")).hasCount(1);
        assertThat(tab.page().locator(".chats a")).hasCount(2);
        tab.askAndWait("What is 2 + 2?");
        assertThat(tab.lastAnswer()).containsText("4");
        assertEquals(List.of(), tab.complaints());
    }

    @Test
    void draftTextSurvivesAViewChange() {
        tab.question().fill("Not sent yet");
        tab.page().getByRole(AriaRole.LINK, new Page.GetByRoleOptions().setName("Cache")).click();
        assertThat(tab.question()).hasCount(0);
        tab.page().goBack();

        assertThat(tab.question()).hasValue("Not sent yet");
    }
}
