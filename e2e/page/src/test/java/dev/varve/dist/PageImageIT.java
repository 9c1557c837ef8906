package dev.varve.dist;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Request;
import com.microsoft.playwright.options.FilePayload;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.awt.Color;
import java.awt.Graphics2D;
import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

import javax.imageio.ImageIO;

/** Images in the chat, in a real browser, with a random model that reads them. */
@Timeout(240)
class PageImageIT {
    private static final String PICKER = "input[type=file][accept='image/*']";

    @TempDir static Path folder;

    private static PageBrowser browser;
    private static Varve.Server server;

    private BrowserContext person;
    private ChatPage tab;

    @BeforeAll
    static void start() throws Exception {
        Path models =
                Path.of(System.getProperty("varve.test.shared", ""))
                        .resolve("golden/vision/models");
        assumeTrue(Files.isDirectory(models), "no models at varve.test.shared: " + models);
        browser = SharedPage.browser();
        server =
                new Varve(Varve.INSTALLATION, folder)
                        .serve(
                                "--model",
                                models.resolve("text-qwen35.gguf"),
                                "--mmproj",
                                models.resolve("qwen3vl.gguf"),
                                "--threads",
                                1,
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
        person.addInitScript(
                "localStorage['varve.settings'] = '{\"temperature\": \"0\", \"max_tokens\":"
                        + " \"4\"}'");
        tab = ChatPage.open(person, server.url());
    }

    @AfterEach
    void leave() {
        person.close();
    }

    private static FilePayload image(String name, int width, int height) throws IOException {
        BufferedImage image = new BufferedImage(width, height, BufferedImage.TYPE_INT_RGB);
        Graphics2D drawing = image.createGraphics();
        drawing.setColor(Color.ORANGE);
        drawing.fillOval(0, 0, width, height);
        drawing.dispose();
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ImageIO.write(image, "png", out);
        return new FilePayload(name, "image/png", out.toByteArray());
    }

    private Locator thumbnails() {
        return tab.page().locator(".files img");
    }

    private Locator pictures() {
        return tab.messages("user").locator("img.picture");
    }

    private JsonNode lastContent(Runnable action) {
        Request request = tab.page().waitForRequest(ScriptedChat.ROUTE, action);
        JsonNode messages = JsonMapper.shared().readTree(request.postData()).path("messages");
        return messages.path(0).path("content");
    }

    @Test
    void imagesAreShownSentAndKept() throws IOException {
        assertThat(tab.button("Attach images")).isVisible();
        tab.page().locator(PICKER).setInputFiles(image("sun.png", 160, 96));
        assertThat(thumbnails()).hasCount(1);

        JsonNode content = lastContent(() -> tab.ask("What is it?"));

        assertEquals("image_url", content.path(0).path("type").stringValue());
        String url = content.path(0).path("image_url").path("url").stringValue();
        assertTrue(url.startsWith("data:image/png;base64,"), url);
        assertEquals("What is it?", content.path(1).path("text").stringValue());
        tab.awaitEnd();
        assertThat(tab.lastAnswer().locator(".error")).isHidden();
        assertThat(thumbnails()).hasCount(0);

        tab.page().reload();

        assertThat(pictures()).hasCount(1);
        assertThat(pictures()).hasAttribute("alt", "sun.png");
        assertEquals(
                160, pictures().evaluate("image => image.decode().then(() => image.naturalWidth)"));
        assertEquals(content, lastContent(() -> tab.button("Regenerate").click()));
        tab.awaitEnd();
        assertEquals(List.of(), tab.complaints());
    }

    @Test
    void largeImagesAreReduced() throws IOException {
        tab.page().locator(PICKER).setInputFiles(image("wide.png", 4096, 512));
        assertThat(thumbnails()).hasCount(1);

        assertEquals(
                List.of(2048, 256),
                thumbnails()
                        .evaluate(
                                "image => image.decode().then(() => [image.naturalWidth,"
                                        + " image.naturalHeight])"));
    }

    @Test
    void droppedAndPastedImagesAreAttachedAndMayBeRemoved() {
        for (String kind : List.of("drop", "paste")) {
            tab.page()
                    .evaluate(
                            """
                            async kind => {
                                const canvas = new OffscreenCanvas(40, 30);
                                canvas.getContext('2d').fillRect(0, 0, 9, 9);
                                const blob = await canvas.convertToBlob({type: 'image/webp'});
                                const data = new DataTransfer();
                                data.items.add(new File([blob], `${kind}.webp`, {type: 'image/webp'}));
                                const target = document.querySelector(kind === 'drop' ? '.scroller' : '#question');
                                target.dispatchEvent(kind === 'drop'
                                    ? new DragEvent('drop', {dataTransfer: data, bubbles: true, cancelable: true})
                                    : new ClipboardEvent('paste', {clipboardData: data, bubbles: true, cancelable: true}));
                            }
                            """,
                            kind);
            assertThat(tab.button("Remove " + kind + ".webp")).isVisible();
        }
        tab.button("Remove drop.webp").click();

        JsonNode content = lastContent(() -> tab.question().press("Enter"));

        assertEquals(1, content.size(), "no text");
        String url = content.path(0).path("image_url").path("url").stringValue();
        assertTrue(url.startsWith("data:image/jpeg;base64,"), url);
        tab.awaitEnd();
        assertThat(tab.lastAnswer().locator(".error")).isHidden();
    }

    @Test
    void brokenImagesAreRefused() {
        tab.page()
                .locator(PICKER)
                .setInputFiles(new FilePayload("cut.png", "image/png", new byte[] {1, 2, 3}));

        assertThat(tab.page().locator(".chat .trouble"))
                .hasText("“cut.png” is an image that this browser cannot read.");
        assertThat(thumbnails()).hasCount(0);
    }

    /** A user can continue a conversation with images with a model that reads text only. */
    @Test
    void modelWithoutEncoderIsNamedBeforeSending() throws IOException {
        tab.page().locator(PICKER).setInputFiles(image("sun.png", 160, 96));
        assertThat(thumbnails()).hasCount(1);
        tab.page().route("**/v1/models", route -> ScriptedChat.lists(route, "blind"));
        tab.page().evaluate("document.dispatchEvent(new Event('varve-back'))");
        assertThat(tab.page().locator("select.model")).hasValue("blind");
        assertThat(tab.button("Attach images")).isHidden();

        tab.ask("What is it?");

        assertThat(tab.page().locator(".chat .trouble"))
                .hasText("blind reads text only. Choose another model, or remove the images.");
        assertThat(tab.question()).hasValue("What is it?");
        assertThat(thumbnails()).hasCount(1);
        assertThat(tab.messages("user")).hasCount(0);
    }
}
