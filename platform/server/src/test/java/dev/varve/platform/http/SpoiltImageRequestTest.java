package dev.varve.platform.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.vision.ImageMarks;
import dev.varve.api.vision.ImagePositions;
import dev.varve.platform.chat.ChatRenderer;
import dev.varve.platform.chat.ImagePlaceholders;
import dev.varve.platform.chat.ReasoningDefaults;
import dev.varve.platform.chat.ResponseSyntax;
import dev.varve.platform.http.model.ModelDescription;
import dev.varve.platform.http.model.ModelTextProcessing;
import dev.varve.platform.http.model.ServedModel;
import dev.varve.platform.template.ChatTemplate;
import dev.varve.platform.tokenizer.TestTokenizers;
import dev.varve.platform.tokenizer.Tokenizer;
import dev.varve.platform.vision.EncodedImage;
import dev.varve.platform.vision.ImageDecoder;
import dev.varve.platform.vision.ImageGrid;
import dev.varve.platform.vision.ImageKey;
import dev.varve.platform.vision.ImageLimits;
import dev.varve.platform.vision.PromptImages;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;

import javax.imageio.ImageIO;

/** Files that are cut or lie about their size or type, with the real decoder, over HTTP. */
@Timeout(120)
class SpoiltImageRequestTest {
    private static final Tokenizer TOKENIZER = TestTokenizers.ofBytes("<|image|>");
    private static final int CUTS = 8;

    /** With four formats, some 2,000 files. */
    private static final int MANY_CUTS = 501;

    /** 8 kB for each of them. */
    private static final long MOST_GROWTH = 16 << 20;

    /** Decodes images, and encodes each as one token. */
    private static final class DecodedImages implements PromptImages {
        private final ImageDecoder decoder = new ImageDecoder(ImageLimits.defaults());

        @Override
        public ImageMarks marks() {
            return new ImageMarks("<|image|>", "", "", ImageMarks.Writer.TEMPLATE);
        }

        @Override
        public ImagePositions positions() {
            return ImagePositions.LINE;
        }

        @Override
        public ImageGrid measure(byte[] file, int maxTokens) {
            decoder.header(file);
            return new ImageGrid(1, 1);
        }

        @Override
        public EncodedImage encode(byte[] file, int maxTokens, BooleanSupplier cancelled) {
            ImageKey key = ImageKey.of(new byte[0], decoder.decode(file));
            return new EncodedImage(new ImageGrid(1, 1), key, new float[1]);
        }
    }

    private static ServedModel served(ScriptedEngine engine) {
        PromptImages images = new DecodedImages();
        ChatTemplate template =
                ChatTemplate.compile(
                        "{% for m in messages %}{% for p in m.content %}<|image|>{% endfor %}"
                                + "{% endfor %}");
        return new ServedModel(
                        new ModelDescription("small", "small", 1000, Map.of()),
                        engine,
                        new ModelTextProcessing(
                                TOKENIZER,
                                Optional.of(new ChatRenderer(template, TOKENIZER)),
                                ResponseSyntax.plain(TOKENIZER),
                                ReasoningDefaults.none()))
                .with(
                        new ServedModel.ImageInput(
                                images,
                                new ImagePlaceholders(images, TOKENIZER),
                                Optional.empty()));
    }

    private static byte[] file(String format) throws IOException {
        BufferedImage image = new BufferedImage(40, 30, BufferedImage.TYPE_INT_RGB);
        for (int i = 0; i < 40 * 30; i++) {
            image.setRGB(i % 40, i / 40, i * 12_345);
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ImageIO.write(image, format, out);
        return out.toByteArray();
    }

    private static List<byte[]> spoilt(int cuts) throws IOException {
        List<byte[]> all = new ArrayList<>();
        for (String format : List.of("png", "jpeg", "gif", "bmp")) {
            byte[] file = file(format);
            for (int i = 1; i < cuts; i++) {
                all.add(Arrays.copyOf(file, i * file.length / cuts));
            }
        }
        byte[] huge = file("png");
        ByteBuffer.wrap(huge).putInt(16, 40_000).putInt(20, 40_000);
        all.add(huge);
        byte[] other = file("png");
        System.arraycopy(new byte[] {(byte) 0xff, (byte) 0xd8, (byte) 0xff}, 0, other, 0, 3);
        all.add(other);
        all.add("RIFF\0\0\0\0WEBPVP8 ".getBytes(StandardCharsets.ISO_8859_1));
        return all;
    }

    private static String body(byte[] file) {
        return "{\"max_tokens\": 9, \"messages\": [{\"role\": \"user\", \"content\": [{\"type\":"
                + " \"image_url\", \"image_url\": {\"url\": \"data:image/png;base64,"
                + Base64.getEncoder().encodeToString(file)
                + "\"}}]}]}";
    }

    @Test
    void spoiltFilesAreRefusedWithTheirPlace() throws Exception {
        ScriptedEngine engine =
                new ScriptedEngine().says(TOKENIZER.encode("ok", false)).hasContext(200);
        try (TestServer server = TestServer.of(served(engine))) {
            for (byte[] file : spoilt(CUTS)) {
                HttpResponse<String> response = server.post("/v1/chat/completions", body(file));

                assertEquals(400, response.statusCode(), response.body());
                assertTrue(response.body().contains("messages[0].content[0]: "), response.body());
            }
            assertEquals(List.of(), engine.requests);
            for (String format : List.of("png", "jpeg", "gif", "bmp")) {
                HttpResponse<String> response =
                        server.post("/v1/chat/completions", body(file(format)));

                assertEquals(200, response.statusCode(), format + response.body());
            }
        }
    }

    @Tag("nightly")
    @Test
    void thousandsOfSpoiltFilesLeaveTheHeapFlat() throws Exception {
        ScriptedEngine engine = new ScriptedEngine().hasContext(200);
        try (TestServer server = TestServer.of(served(engine))) {
            send(server, spoilt(CUTS));
            long before = usedHeap();
            List<byte[]> files = spoilt(MANY_CUTS);
            send(server, files);

            assertTrue(files.size() >= 2_000, "files: " + files.size());
            long growth = usedHeap() - before;
            assertTrue(growth < MOST_GROWTH, growth + " bytes");
        }
    }

    private static void send(TestServer server, List<byte[]> files) throws Exception {
        for (byte[] file : files) {
            HttpResponse<String> response = server.post("/v1/chat/completions", body(file));
            assertEquals(400, response.statusCode(), () -> start(file) + response.body());
        }
    }

    private static String start(byte[] file) {
        return file.length + " bytes, from " + HexFormat.of().formatHex(file, 0, 4) + ": ";
    }

    private static long usedHeap() {
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }
}
