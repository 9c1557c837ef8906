package dev.varve.dist;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.anthropic.client.AnthropicClient;
import com.anthropic.client.okhttp.AnthropicOkHttpClient;
import com.anthropic.models.messages.Base64ImageSource;
import com.anthropic.models.messages.ContentBlockParam;
import com.anthropic.models.messages.ImageBlockParam;
import com.anthropic.models.messages.Message;
import com.anthropic.models.messages.MessageCreateParams;
import com.anthropic.models.messages.TextBlockParam;
import com.anthropic.models.messages.UrlImageSource;
import com.openai.client.OpenAIClient;
import com.openai.client.okhttp.OpenAIOkHttpClient;
import com.openai.models.chat.completions.ChatCompletionContentPart;
import com.openai.models.chat.completions.ChatCompletionContentPartImage;
import com.openai.models.chat.completions.ChatCompletionContentPartText;
import com.openai.models.chat.completions.ChatCompletionCreateParams;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Optional;

import javax.imageio.ImageIO;

/** OpenAI's and Anthropic's own clients for Java send images to a random model that reads them. */
@Timeout(180)
class ImageSdkIT {
    private static final String MODEL = "text-qwen35";
    private static final String QUESTION = "What is it?";

    /** Tokens of an image of 128x96 pixels, with the two around it. */
    private static final int IMAGE_TOKENS = 4 * 3 + 2;

    @TempDir static Path folder;

    private static Varve.Server server;

    @BeforeAll
    static void start() throws Exception {
        Path models =
                Path.of(System.getProperty("varve.test.shared", ""))
                        .resolve("golden/vision/models");
        assumeTrue(Files.isDirectory(models), "no models at varve.test.shared: " + models);
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
                                1024);
    }

    @AfterAll
    static void stop() {
        Optional.ofNullable(server).ifPresent(Varve.Server::close);
    }

    private static String image() throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ImageIO.write(new BufferedImage(128, 96, BufferedImage.TYPE_INT_RGB), "png", out);
        return Base64.getEncoder().encodeToString(out.toByteArray());
    }

    @Test
    void clientOfOpenAiSendsImages() throws Exception {
        OpenAIClient client =
                OpenAIOkHttpClient.builder()
                        .baseUrl(server.url() + "/v1")
                        .apiKey("none")
                        .maxRetries(0)
                        .build();
        ChatCompletionContentPart text =
                ChatCompletionContentPart.ofText(
                        ChatCompletionContentPartText.builder().text(QUESTION).build());

        long alone = promptTokens(client, List.of(text));
        long seen = promptTokens(client, List.of(text, part("data:image/png;base64," + image())));

        assertEquals(alone + IMAGE_TOKENS, seen);
        com.openai.errors.BadRequestException refused =
                assertThrows(
                        com.openai.errors.BadRequestException.class,
                        () -> promptTokens(client, List.of(part("https://example.com/a.png"))));
        assertTrue(refused.getMessage().contains("--allow-image-urls"), refused.getMessage());
        client.close();
    }

    private static ChatCompletionContentPart part(String url) {
        return ChatCompletionContentPart.ofImageUrl(
                ChatCompletionContentPartImage.builder()
                        .imageUrl(
                                ChatCompletionContentPartImage.ImageUrl.builder()
                                        .url(url)
                                        .detail(ChatCompletionContentPartImage.ImageUrl.Detail.AUTO)
                                        .build())
                        .build());
    }

    private static long promptTokens(OpenAIClient client, List<ChatCompletionContentPart> parts) {
        return client.chat()
                .completions()
                .create(
                        ChatCompletionCreateParams.builder()
                                .model(MODEL)
                                .maxCompletionTokens(4)
                                .addUserMessageOfArrayOfContentParts(parts)
                                .build())
                .usage()
                .orElseThrow()
                .promptTokens();
    }

    @Test
    void clientOfAnthropicSendsImages() throws Exception {
        AnthropicClient client =
                AnthropicOkHttpClient.builder()
                        .baseUrl(server.url().toString())
                        .apiKey("none")
                        .maxRetries(0)
                        .build();
        ContentBlockParam text =
                ContentBlockParam.ofText(TextBlockParam.builder().text(QUESTION).build());
        ContentBlockParam image =
                ContentBlockParam.ofImage(
                        ImageBlockParam.builder()
                                .source(
                                        Base64ImageSource.builder()
                                                .mediaType(Base64ImageSource.MediaType.IMAGE_PNG)
                                                .data(image())
                                                .build())
                                .build());
        ContentBlockParam remote =
                ContentBlockParam.ofImage(
                        ImageBlockParam.builder()
                                .source(
                                        UrlImageSource.builder()
                                                .url("https://example.com/a.png")
                                                .build())
                                .build());

        long alone = inputTokens(client, List.of(text));

        assertEquals(alone + IMAGE_TOKENS, inputTokens(client, List.of(image, text)));
        com.anthropic.errors.BadRequestException refused =
                assertThrows(
                        com.anthropic.errors.BadRequestException.class,
                        () -> inputTokens(client, List.of(remote)));
        assertTrue(refused.getMessage().contains("--allow-image-urls"), refused.getMessage());
        client.close();
    }

    private static long inputTokens(AnthropicClient client, List<ContentBlockParam> blocks) {
        Message message =
                client.messages()
                        .create(
                                MessageCreateParams.builder()
                                        .model(MODEL)
                                        .maxTokens(4)
                                        .addUserMessageOfContentBlockParams(blocks)
                                        .build())
                        .validate();
        return message.usage().inputTokens() + message.usage().cacheReadInputTokens().orElse(0L);
    }
}
