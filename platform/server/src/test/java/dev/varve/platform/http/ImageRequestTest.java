package dev.varve.platform.http;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.vision.ImageMarks;
import dev.varve.api.vision.ImagePositions;
import dev.varve.platform.chat.ChatRenderer;
import dev.varve.platform.chat.ImagePlaceholders;
import dev.varve.platform.chat.ReasoningDefaults;
import dev.varve.platform.chat.ResponseSyntax;
import dev.varve.platform.engine.GenerationRequest;
import dev.varve.platform.http.fetch.AllowedHosts;
import dev.varve.platform.http.fetch.CannedServer;
import dev.varve.platform.http.fetch.ImageFetcher;
import dev.varve.platform.http.json.Json;
import dev.varve.platform.http.model.ModelDescription;
import dev.varve.platform.http.model.ModelTextProcessing;
import dev.varve.platform.http.model.ServedModel;
import dev.varve.platform.shard.ImageSpan;
import dev.varve.platform.template.ChatTemplate;
import dev.varve.platform.tokenizer.TestTokenizers;
import dev.varve.platform.tokenizer.Tokenizer;
import dev.varve.platform.vision.EncodedImage;
import dev.varve.platform.vision.ImageGrid;
import dev.varve.platform.vision.ImageKey;
import dev.varve.platform.vision.ImageLimits;
import dev.varve.platform.vision.InvalidImageException;
import dev.varve.platform.vision.PromptImages;
import dev.varve.platform.vision.RgbImage;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import tools.jackson.databind.JsonNode;

import java.net.http.HttpResponse;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

/** Images in requests of all dialects, with an encoder that reads their size from two bytes. */
class ImageRequestTest {
    private static final Tokenizer TOKENIZER =
            TestTokenizers.ofBytes("<|vision_start|>", "<|image_pad|>", "<|vision_end|>");

    private static final String TEMPLATE =
            "{% for m in messages %}[{{ m.role }}]{% if m.content is string %}{{ m.content }}"
                    + "{% else %}{% for p in m.content %}{% if p.type == 'text' %}{{ p.text }}"
                    + "{% elif m.role != 'tool' %}"
                    + "<|vision_start|><|image_pad|><|vision_end|>{% endif %}{% endfor %}"
                    + "{% endif %}{% endfor %}";

    private static final String IMAGE = base64(3, 2);
    private static final String OTHER = base64(2, 1);

    /** A file of two bytes: columns and rows. */
    private static String base64(int columns, int rows) {
        return Base64.getEncoder().encodeToString(new byte[] {(byte) columns, (byte) rows});
    }

    private static final class TwoByteImages implements PromptImages {
        final AtomicInteger encoded = new AtomicInteger();

        @Override
        public ImageMarks marks() {
            return new ImageMarks(
                    "<|image_pad|>",
                    "<|vision_start|>",
                    "<|vision_end|>",
                    ImageMarks.Writer.TEMPLATE);
        }

        @Override
        public ImagePositions positions() {
            return ImagePositions.GRID;
        }

        @Override
        public ImageGrid measure(byte[] file, int maxTokens) {
            if (file.length != 2) {
                throw new InvalidImageException("the data is not an image");
            }
            return file[0] * file[1] > maxTokens
                    ? new ImageGrid(1, maxTokens)
                    : new ImageGrid(file[0], file[1]);
        }

        @Override
        public EncodedImage encode(byte[] file, int maxTokens, BooleanSupplier cancelled) {
            encoded.incrementAndGet();
            ImageGrid grid = measure(file, maxTokens);
            RgbImage canvas = new RgbImage(1, 1, new byte[] {file[0], file[1], 0});
            return new EncodedImage(
                    grid, ImageKey.of(new byte[0], canvas), new float[grid.tokens()]);
        }
    }

    private final ScriptedEngine engine =
            new ScriptedEngine().says(TOKENIZER.encode("ok", false)).hasContext(200);
    private final TwoByteImages encoder = new TwoByteImages();
    private TestServer server;

    @BeforeEach
    void start() {
        server = TestServer.of(served().with(input(Optional.empty())));
    }

    @AfterEach
    void close() {
        server.close();
    }

    private ServedModel.ImageInput input(Optional<ImageFetcher> fetcher) {
        return new ServedModel.ImageInput(encoder, placeholders(), fetcher);
    }

    private ImagePlaceholders placeholders() {
        return new ImagePlaceholders(encoder, TOKENIZER);
    }

    private ServedModel served() {
        return served(TEMPLATE);
    }

    private ServedModel served(String template) {
        return new ServedModel(
                new ModelDescription("small", "small", 1000, Map.of()),
                engine,
                new ModelTextProcessing(
                        TOKENIZER,
                        Optional.of(new ChatRenderer(ChatTemplate.compile(template), TOKENIZER)),
                        ResponseSyntax.plain(TOKENIZER),
                        ReasoningDefaults.none()));
    }

    private HttpResponse<String> post(String path, String body) throws Exception {
        return server.post(path, body.replace('\'', '"'));
    }

    private GenerationRequest.Prompt prompt(String path, String body) throws Exception {
        HttpResponse<String> response = post(path, body);
        assertEquals(200, response.statusCode(), response.body());
        return engine.requests.getLast().prompt();
    }

    /** The prompt with {@code #} for each token of an image. */
    private static String shown(GenerationRequest.Prompt prompt) {
        StringBuilder text = new StringBuilder();
        for (int token : prompt.tokens()) {
            text.append(token < 0 ? "#" : TOKENIZER.decode(new int[] {token}, true));
        }
        return text.toString();
    }

    private static String chat(String content) {
        return "{'max_tokens': 9, 'messages': [{'role': 'user', 'content': " + content + "}]}";
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '#',
            value = {
                "/v1/chat/completions | {'type': 'image_url', 'image_url':"
                        + " {'url': 'data:image/png;base64,AwI='}}",
                "/v1/chat/completions | {'type': 'image_url', 'image_url': {'url':"
                        + " 'DATA:image/jpeg;charset=x;BASE64,AwI'}}",
                "/v1/chat/completions | {'type': 'image_url', 'image_url': 'AwI='}",
                "/v1/chat/completions | {'type': 'input_image', 'image_url':"
                        + " 'data:image/png;base64,AwI='}",
                "/v1/messages | {'type': 'image', 'source': {'type': 'base64', 'media_type':"
                        + " 'image/png', 'data': 'AwI='}}",
                "/v1/messages | {'type': 'image', 'source': {'type': 'url', 'url':"
                        + " 'data:image/png;base64,AwI='}}"
            })
    void imageTakesThePlaceThatTheTemplateGivesIt(String path, String part) throws Exception {
        GenerationRequest.Prompt prompt =
                prompt(
                        path,
                        chat(
                                "[{'type': 'text', 'text': 'a'}, "
                                        + part
                                        + ", {'type': 'text', 'text': 'b'}]"));

        assertEquals("[user]a<|vision_start|>######<|vision_end|>b", shown(prompt));
        assertEquals(List.of(new ImageSpan(8, 3, 2, ImagePositions.GRID)), prompt.images().spans());
        assertFalse(prompt.scope().isCached(), "6 tokens do not prove which image it is");
    }

    @Test
    void inputImagesOfResponsesAreRead() throws Exception {
        GenerationRequest.Prompt prompt =
                prompt(
                        "/v1/responses",
                        "{'input': [{'role': 'user', 'content': [{'type': 'input_image',"
                                + " 'image_url': 'data:image/png;base64,AwI='}]}]}");

        assertEquals("[user]<|vision_start|>######<|vision_end|>", shown(prompt));
    }

    @Test
    void imagesOfOllamaAreRead() throws Exception {
        GenerationRequest.Prompt prompt =
                prompt(
                        "/api/chat",
                        "{'model': 'small', 'stream': false, 'messages': [{'role': 'user',"
                                + " 'content': 'a', 'images': ['AwI=']}]}");

        assertEquals("[user]a<|vision_start|>######<|vision_end|>", shown(prompt));
    }

    @Test
    void severalImagesKeepTheirOrder() throws Exception {
        String image = "{'type': 'image_url', 'image_url': {'url': '%'}}";
        GenerationRequest.Prompt prompt =
                prompt(
                        "/v1/chat/completions",
                        chat(
                                "["
                                        + image.replace("%", IMAGE)
                                        + ", "
                                        + image.replace("%", OTHER)
                                        + ", "
                                        + image.replace("%", IMAGE)
                                        + "]"));

        assertEquals(
                List.of(
                        new ImageSpan(7, 3, 2, ImagePositions.GRID),
                        new ImageSpan(15, 2, 1, ImagePositions.GRID),
                        new ImageSpan(19, 3, 2, ImagePositions.GRID)),
                prompt.images().spans());
        int[] tokens = prompt.tokens();
        assertArrayEquals(
                Arrays.copyOfRange(tokens, 7, 13),
                Arrays.copyOfRange(tokens, 19, 25),
                "equal images have equal tokens");
        assertTrue(tokens[7] != tokens[15], "different images have different tokens");
    }

    @Test
    void placeholdersInTheTextOfClientsAreText() throws Exception {
        GenerationRequest.Prompt prompt =
                prompt(
                        "/v1/chat/completions",
                        chat(
                                "[{'type': 'text', 'text': '<|image_pad|>'}, {'type':"
                                        + " 'image_url', 'image_url': {'url': 'AgE='}}]"));

        assertEquals("[user]<|image_pad|><|vision_start|>##<|vision_end|>", shown(prompt));
        assertEquals(1, prompt.images().spans().size());
    }

    @Test
    void usageCountsTheTokensOfImages() throws Exception {
        HttpResponse<String> response =
                post(
                        "/v1/messages/count_tokens",
                        "{'messages': [{'role': 'user', 'content': [{'type': 'image', 'source':"
                                + " {'type': 'base64', 'data': 'AwI='}}]}]}");

        assertEquals(6 + 2 + 6, Json.MAPPER.readTree(response.body()).get("input_tokens").asInt());
        assertEquals(0, encoder.encoded.get(), "images are not encoded for counting");
    }

    @Test
    void contextIsCheckedBeforeAnythingIsEncoded() throws Exception {
        String image = "{'type': 'image_url', 'image_url': {'url': '" + base64(100, 3) + "'}}";

        HttpResponse<String> response = post("/v1/chat/completions", chat("[" + image + "]"));

        assertEquals(400, response.statusCode(), response.body());
        assertTrue(response.body().contains("308"), response.body());
        assertEquals(0, encoder.encoded.get());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '#',
            value = {
                "{'url': 'data:image/png;base64,AAAA'} | the data is not an image",
                "{'url': 'data:image/png;base64,?'}    | expected an image in base64",
                "{'url': 'data:image/png,AAAA'}        | expected a data URL in base64",
                "{'url': 'https://example.com/a.png'}  | the server fetches no images",
                "{'url': 'file:///etc/passwd'}         | expected a URL with data, http or https",
                "{'url': 'data:image/png;base64,AwI=', 'detail': 'medium'} | expected low",
                "{}                                    | expected image_url with a data URL"
            })
    void unusableImageIsNamedWithTheReason(String url, String reason) throws Exception {
        HttpResponse<String> response =
                post(
                        "/v1/chat/completions",
                        chat(
                                "[{'type': 'text', 'text': 'a'}, {'type': 'image_url',"
                                        + " 'image_url': "
                                        + url
                                        + "}]"));

        assertEquals(400, response.statusCode(), response.body());
        assertTrue(response.body().contains("messages[0].content[1]"), response.body());
        assertTrue(response.body().contains(": " + reason), response.body());
    }

    @ParameterizedTest
    @CsvSource({"low, 256", "high, 288", "auto, 288", "original, 288"})
    void lowDetailLimitsTheTokensOfAnImage(String detail, int tokens) throws Exception {
        engine.hasContext(500);
        String url = "data:image/png;base64," + base64(24, 12);
        for (String part :
                List.of(
                        "{'type': 'image_url', 'image_url': {'url': '#', 'detail': '%'}}",
                        "{'type': 'input_image', 'image_url': '#', 'detail': '%'}")) {
            GenerationRequest.Prompt prompt =
                    prompt(
                            "/v1/chat/completions",
                            chat("[" + part.replace("#", url).replace("%", detail) + "]"));

            assertEquals(tokens, Arrays.stream(prompt.tokens()).filter(id -> id < 0).count());
        }
    }

    @Test
    void largestFileFitsIntoABody() throws Exception {
        byte[] file = new byte[ImageLimits.defaults().bytes()];
        String lines = Base64.getMimeEncoder().encodeToString(file).replace("\r\n", "\\r\\n");

        HttpResponse<String> response =
                post(
                        "/v1/chat/completions",
                        chat("[{'type': 'image_url', 'image_url': {'url': '" + lines + "'}}]"));

        assertEquals(400, response.statusCode());
        assertTrue(response.body().contains("the data is not an image"), response.body());
    }

    @Test
    void placeholderStandsForTheTokensOfImagesOutsideTheEngine() throws Exception {
        GenerationRequest.Prompt prompt =
                prompt(
                        "/v1/chat/completions",
                        chat("[{'type': 'image_url', 'image_url': {'url': 'AgE='}}]"));

        assertEquals(
                "[user]<|vision_start|><|image_pad|><|image_pad|><|vision_end|>",
                TOKENIZER.decode(placeholders().known(prompt.tokens()), true));
    }

    @Test
    void tooManyImagesAreRefused() throws Exception {
        String image = "{'type': 'image_url', 'image_url': {'url': 'AQE='}}";
        String images = String.join(", ", Collections.nCopies(33, image));

        HttpResponse<String> response = post("/v1/chat/completions", chat("[" + images + "]"));

        assertEquals(400, response.statusCode(), response.body());
        assertTrue(response.body().contains("content[32]: more than 32"), response.body());
    }

    @Test
    void imageWithoutAPlaceInTheTemplateIsRefused() throws Exception {
        String blind = "{% for m in messages %}[{{ m.role }}]{% endfor %}";
        try (TestServer dropping = TestServer.of(served(blind).with(input(Optional.empty())))) {
            HttpResponse<String> response =
                    dropping.post(
                            "/v1/chat/completions",
                            chat("[{'type': 'image_url', 'image_url': {'url': 'AwI='}}]")
                                    .replace('\'', '"'));

            assertEquals(400, response.statusCode(), response.body());
            assertTrue(
                    response.body().contains("has places for 0 of the 1 images"), response.body());
        }
    }

    /** The template has no places for images in the results of tools. */
    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '~',
            value = {
                "{'type': 'tool_result', 'tool_use_id': 'x', 'content': [#1, {'type': 'text',"
                        + " 'text': 'a'}]} ; [tool]a[user]1",
                "{'type': 'tool_result', 'tool_use_id': 'x', 'content': [#1]},"
                        + " {'type': 'tool_result', 'tool_use_id': 'y', 'content': [#2]},"
                        + " {'type': 'text', 'text': 'b'}, #1 ; [tool][tool][user]12b1",
            })
    void imagesOfToolsFollowTheirResults(String blocks, String expected) throws Exception {
        String image = "{'type': 'image', 'source': {'type': 'base64', 'data': '%'}}";
        GenerationRequest.Prompt prompt =
                prompt(
                        "/v1/messages",
                        chat(
                                "["
                                        + blocks.replace("#1", image.replace("%", "AwI="))
                                                .replace("#2", image.replace("%", "AgE="))
                                        + "]"));

        assertEquals(
                expected.replace("1", "<|vision_start|>######<|vision_end|>")
                        .replace("2", "<|vision_start|>##<|vision_end|>"),
                shown(prompt));
    }

    @Test
    void imagesOfToolsPrecedeLaterTurns() throws Exception {
        GenerationRequest.Prompt prompt =
                prompt(
                        "/v1/messages",
                        "{'max_tokens': 9, 'messages': [{'role': 'user', 'content':"
                                + " [{'type': 'tool_result', 'tool_use_id': 'x', 'content':"
                                + " [{'type': 'image', 'source': {'type': 'base64', 'data':"
                                + " 'AgE='}}]}]}, {'role': 'assistant', 'content': 'c'},"
                                + " {'role': 'user', 'content': 'd'}]}");

        assertEquals(
                "[tool][user]<|vision_start|>##<|vision_end|>[assistant]c[user]d", shown(prompt));
    }

    /** Coding agents answer calls of their tools that view files with images. */
    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '~',
            value = {
                "/v1/responses ; {'input': [{'type': 'message', 'role': 'user', 'content':"
                        + " [{'type': 'input_text', 'text': 'q'}]}, {'type': 'function_call',"
                        + " 'call_id': 'c1', 'name': 'view_image', 'arguments':"
                        + " '{}'}, {'type': 'function_call_output', 'call_id': 'c1',"
                        + " 'output': [{'type': 'input_text', 'text': 'a'}, {'type':"
                        + " 'input_image', 'image_url': '#'}]}]}",
                "/v1/chat/completions ; {'messages': [{'role': 'user', 'content': 'q'}, {'role':"
                        + " 'assistant', 'content': '', 'tool_calls': [{'id': 'c1', 'type':"
                        + " 'function', 'function': {'name': 'read', 'arguments': '{}'}}]},"
                        + " {'role': 'tool', 'tool_call_id': 'c1', 'content': [{'type': 'text',"
                        + " 'text': 'a'}, {'type': 'image_url', 'image_url': {'url':"
                        + " '#'}}]}]}",
            })
    void agentsReturnImagesFromTheirTools(String route, String body) throws Exception {
        String shown = shown(prompt(route, body.replace("#", "data:image/png;base64," + IMAGE)));

        assertTrue(shown.startsWith("[user]q"), shown);
        assertTrue(shown.endsWith("[tool]a[user]<|vision_start|>######<|vision_end|>"), shown);
    }

    @Test
    void modelWithoutAnEncoderSaysSo() throws Exception {
        try (TestServer text = TestServer.of(served())) {
            HttpResponse<String> response =
                    text.post(
                            "/v1/chat/completions",
                            chat("[{'type': 'image_url', 'image_url': {'url': 'AwI='}}]")
                                    .replace('\'', '"'));

            assertEquals(400, response.statusCode(), response.body());
            assertTrue(
                    response.body().contains("reads text only, found an image; it was started"),
                    response.body());
        }
    }

    @Test
    void otherQuestionsAboutAnImageBeginBehindIt() throws Exception {
        GenerationRequest.Prompt prompt =
                prompt(
                        "/v1/chat/completions",
                        chat(
                                "[{'type': 'image_url', 'image_url': {'url': '"
                                        + base64(4, 2)
                                        + "'}}, {'type': 'text', 'text': 'b'}]"));

        assertEquals("[user]<|vision_start|>########<|vision_end|>b", shown(prompt));
        assertTrue(prompt.scope().isCached());
        assertTrue(
                Arrays.stream(prompt.boundaries()).anyMatch(position -> position == 16),
                Arrays.toString(prompt.boundaries()));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '#',
            value = {
                "/v1/chat/completions | {'messages': [{'role': 'user', 'content':"
                        + " [{'type': 'image_url', 'image_url': {'url': '%'}}]}]}",
                "/v1/messages | {'max_tokens': 9, 'messages': [{'role': 'user', 'content':"
                        + " [{'type': 'image', 'source': {'type': 'url', 'url': '%'}}]}]}",
                "/v1/responses | {'input': [{'role': 'user', 'content':"
                        + " [{'type': 'input_image', 'image_url': '%'}]}]}"
            })
    void imagesOfAllowedHostsAreFetched(String path, String body) throws Exception {
        try (CannedServer files = new CannedServer();
                TestServer fetching = fetching("127.0.0.1:" + files.port())) {
            files.file("/a.png", "\u0003\u0002");
            String url = "http://127.0.0.1:" + files.port() + "/a.png";
            HttpResponse<String> response =
                    fetching.post(path, body.replace("%", url).replace('\'', '"'));

            assertEquals(200, response.statusCode(), response.body());
            assertEquals(
                    "[user]<|vision_start|>######<|vision_end|>",
                    shown(engine.requests.getLast().prompt()));
        }
    }

    private TestServer fetching(String host) {
        ImageFetcher fetcher = new ImageFetcher(AllowedHosts.parse(List.of(host)));
        return TestServer.of(served().with(input(Optional.of(fetcher))));
    }

    @Test
    void fetchedImagesAreCounted() throws Exception {
        try (CannedServer files = new CannedServer();
                TestServer fetching = fetching("127.0.0.1:" + files.port())) {
            files.file("/a.png", "\u0003\u0002").file("/b.png", "\u0064\u0003");
            String url = "http://127.0.0.1:" + files.port();
            String content =
                    "[{'type': 'image', 'source': {'type': 'url', 'url': '" + url + "/%.png'}}]";
            String counted = chat(content.replace('%', 'a')).replace('\'', '"');
            String large = chat(content.replace('%', 'b')).replace('\'', '"');

            HttpResponse<String> count = fetching.post("/v1/messages/count_tokens", counted);
            HttpResponse<String> refused = fetching.post("/v1/messages", large);

            assertEquals(200, count.statusCode(), count.body());
            assertEquals(14, Json.MAPPER.readTree(count.body()).get("input_tokens").asInt());
            assertEquals(400, refused.statusCode(), refused.body());
            assertTrue(refused.body().contains("308"), refused.body());
            assertEquals(0, encoder.encoded.get());
        }
    }

    @Test
    void imageThatCannotBeFetchedIsNamed() throws Exception {
        try (CannedServer files = new CannedServer();
                TestServer fetching = fetching("127.0.0.1:" + files.port())) {
            files.file("/text", "no image");
            for (String[] urlAndReason :
                    new String[][] {
                        {"http://127.0.0.1:" + files.port() + "/text", "the data is not an image"},
                        {"http://127.0.0.1/a.png", "may not fetch from 127.0.0.1;"},
                        {"https://example.com/a.png", "may not fetch from example.com;"}
                    }) {
                String part = "{'type': 'image_url', 'image_url': {'url': '#'}}";
                HttpResponse<String> response =
                        fetching.post(
                                "/v1/chat/completions",
                                chat("[" + part.replace("#", urlAndReason[0]) + "]")
                                        .replace('\'', '"'));

                assertEquals(400, response.statusCode(), response.body());
                assertTrue(response.body().contains("messages[0].content[0]: "), response.body());
                assertTrue(response.body().contains(urlAndReason[1]), response.body());
            }
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '~',
            value = {
                "a[img-7]b ; a<|vision_start|>######<|vision_end|>b",
                "a<|vision_start|>[img-7]<|vision_end|>b ; a<|vision_start|>######<|vision_end|>b",
                "[img-7][img-8][img-7] ; <|vision_start|>######<|vision_end|><|vision_start|>##"
                        + "<|vision_end|><|vision_start|>######<|vision_end|>",
            })
    void tagsOfLlamaCppArePlacesOfImages(String text, String tokens) throws Exception {
        String more = text.contains("img-8") ? ", {'id': 8, 'data': 'AgE='}" : "";
        String images = "'image_data': [{'id': 7, 'data': 'AwI='}" + more + "]";
        GenerationRequest.Prompt prompt =
                prompt("/completion", "{'n_predict': 9, 'prompt': '" + text + "', " + images + "}");

        assertEquals(tokens, shown(prompt));
        JsonNode counted =
                Json.MAPPER
                        .readTree(
                                post("/tokenize", "{'content': '" + text + "', " + images + "}")
                                        .body())
                        .get("tokens");
        assertEquals(prompt.tokens().length, counted.size());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '~',
            value = {
                "[img-8]     ; {'id': 7, 'data': 'AwI='} ; image_data[0]: the prompt has no"
                        + " [img-7]",
                "[img-7]     ; {'id': 7, 'data': '?'} ; image_data[0]: expected an image in"
                        + " base64",
                "[img-7]     ; {'id': 7, 'data': 'AAAA'} ; image_data[0]: the data is not an image",
                "[img-7]     ; {'data': 'AwI='} ; image_data[0].id: expected the number",
                "[img-7]     ; {'id': 7, 'data': 'ZAM='} ; 302",
                "<|image_pad|>[img-7] ; {'id': 7, 'data': 'AwI='} ; places for 2 of the 1 images",
            })
    void unusableImageDataIsNamed(String text, String image, String reason) throws Exception {
        HttpResponse<String> response =
                post("/completion", "{'prompt': '" + text + "', 'image_data': [" + image + "]}");

        assertEquals(400, response.statusCode(), response.body());
        assertTrue(response.body().contains(reason), response.body());
        assertEquals(0, encoder.encoded.get());
    }

    @Test
    void renderedPromptHasPlaceholders() throws Exception {
        HttpResponse<String> response =
                post(
                        "/v1/chat/completions/render",
                        chat("[{'type': 'image_url', 'image_url': {'url': 'AgE='}}]"));

        int pad = TOKENIZER.tokenId("<|image_pad|>").orElseThrow();
        assertTrue(response.body().contains("," + pad + "," + pad + ","), response.body());
    }

    @Test
    void equalChoicesShareTheImage() throws Exception {
        post(
                "/v1/chat/completions",
                "{'max_tokens': 9, 'n': 2, 'messages': [{'role': 'user', 'content':"
                        + " [{'type': 'image_url', 'image_url': {'url': 'AwI='}}]}]}");

        assertEquals(2, engine.requests.size());
        assertEquals(1, encoder.encoded.get());
    }
}
