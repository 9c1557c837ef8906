package dev.varve.dist;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.testkit.TestCertificates;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Starts and commands that fail, one a row of {@code failed-starts.csv}: the command line, its exit
 * status and what the message names. Every message is one line about the failure, after notes and
 * before a pointer to the help, without names of Java's classes.
 */
@Timeout(60)
class FailedStartIT {
    /** Commands that have {@code --log-level}. */
    private static final Set<String> LOGGING =
            Set.of("serve", "shard", "generate", "bench", "plan", "logits");

    /** Names of classes, stack traces and texts that libraries leave in messages. */
    private static final Pattern CODE =
            Pattern.compile(
                    "\\bjavax?\\.\\w|\\bdev\\.varve\\b|Exception|[a-z]Error:"
                            + "|Errno|\\bnull\\b|\\tat |@[0-9a-f]{6}|REDACTED");

    @TempDir static Path folder;

    private static InProcessVarve varve;
    private static ServerSocket listening;

    @BeforeAll
    static void prepare() throws Exception {
        varve =
                new InProcessVarve(
                        Varve.INSTALLATION, Map.of("VARVE_CACHE", folder + "/cache", "HOME", "/"));
        listening = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        writeModels();
        writeKeys();
        writePlugins();
        Files.createDirectory(folder.resolve("empty"));
        Files.writeString(folder.resolve("text"), "text");
        Files.writeString(folder.resolve("cut.json"), "{");
        Files.writeString(folder.resolve("odd.json"), "{\"properties\": {\"a\": 5}}");
        Files.writeString(folder.resolve("open.gbnf"), "root ::= (");
        Files.writeString(folder.resolve("open.jinja"), "{% if x %}");
        Files.write(folder.resolve("binary"), new byte[] {-1, -2, 0, 'a'});
        Path newer = Files.createDirectory(folder.resolve("newer"));
        Files.writeString(newer.resolve("varve-cache.json"), "{\"format\": 99}");
    }

    @AfterAll
    static void close() throws Exception {
        listening.close();
    }

    /** Damaged copies of a demo model, whose changed texts keep their lengths. */
    private static void writeModels() throws Exception {
        byte[] good =
                Files.readAllBytes(Varve.INSTALLATION.resolve("models/varve-demo-qwen35.gguf"));
        write("cut.gguf", Arrays.copyOf(good, good.length - 100_000));
        write("header.gguf", Arrays.copyOf(good, 3000));
        write("nothing.gguf", new byte[0]);
        write("page.gguf", "<!DOCTYPE html><html></html>".getBytes(StandardCharsets.US_ASCII));
        write(
                "pointer.gguf",
                "version https://git-lfs.github.com/spec/v1\n".getBytes(StandardCharsets.US_ASCII));
        String tensors = "{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}";
        write(
                "tensors.gguf",
                ByteBuffer.allocate(8 + tensors.length() + 4)
                        .order(ByteOrder.LITTLE_ENDIAN)
                        .putLong(tensors.length())
                        .put(tensors.getBytes(StandardCharsets.US_ASCII))
                        .array());
        write("old.gguf", Arrays.copyOf("lmgg".getBytes(StandardCharsets.US_ASCII), 200));
        write("version.gguf", changed(good, "GGUF\3", "GGUF\t"));
        write("big.gguf", changed(good, "GGUF\3\0\0\0", "GGUF\0\0\0\3"));
        write(
                "architecture.gguf",
                changed(good, "\6\0\0\0\0\0\0\0qwen35", "\6\0\0\0\0\0\0\0qwen99"));
        write("tokenizer.gguf", changed(good, "\4\0\0\0\0\0\0\0gpt2", "\4\0\0\0\0\0\0\0gpt9"));
        write("name.gguf", changed(good, "blk.0.ffn_gate.weight", "blk.0.ffn_gat9.weight"));
        String tensor = "blk.0.ffn_gate.weight\2\0\0\0";
        int type = indexOf(good, tensor) + tensor.length() + 2 * Long.BYTES;
        byte[] odd = good.clone();
        odd[type] = 99;
        write("type.gguf", odd);
        byte[] narrow = good.clone();
        narrow[type - 2 * Long.BYTES] = 64;
        write("shape.gguf", narrow);
    }

    private static void write(String name, byte[] content) throws Exception {
        Files.write(folder.resolve(name), content);
    }

    private static byte[] changed(byte[] content, String from, String to) {
        byte[] changed = content.clone();
        System.arraycopy(
                to.getBytes(StandardCharsets.ISO_8859_1),
                0,
                changed,
                indexOf(content, from),
                to.length());
        return changed;
    }

    private static int indexOf(byte[] content, String text) {
        int at = new String(content, StandardCharsets.ISO_8859_1).indexOf(text);
        if (at < 0) {
            throw new AssertionError("the demo model has no " + text);
        }
        return at;
    }

    private static void writeKeys() throws Exception {
        TestCertificates keys = new TestCertificates(folder);
        keys.make("good", "EC");
        keys.make("else", "EC");
        keys.makeValid("late", -3, 1);
        keys.write("broken.pem", "CERTIFICATE", new byte[3]);
        keys.write("broken-key.pem", "PRIVATE KEY", new byte[3]);
        keys.write("locked-key.pem", "ENCRYPTED PRIVATE KEY", new byte[3]);
        Files.writeString(folder.resolve("none.keys"), "# no key\n");
    }

    private static void writePlugins() throws Exception {
        Files.writeString(Files.createDirectories(folder.resolve("broken")).resolve("a.jar"), "x");
        Path twice = Files.createDirectories(folder.resolve("twice"));
        Path plugins = Varve.INSTALLATION.resolve("plugins");
        try (Stream<Path> files = Files.list(plugins)) {
            Path jar =
                    files.filter(
                                    file ->
                                            file.getFileName()
                                                    .toString()
                                                    .startsWith("varve-plugin-qwen3-"))
                            .findFirst()
                            .orElseThrow();
            Files.copy(jar, twice.resolve("a.jar"));
            Files.copy(jar, twice.resolve("b.jar"));
        }
        Path foreign = Files.createDirectories(folder.resolve("foreign"));
        try (Stream<Path> files = Files.list(Varve.INSTALLATION.resolve("lib"))) {
            Path jar =
                    files.filter(file -> file.getFileName().toString().startsWith("slf4j-api-"))
                            .findFirst()
                            .orElseThrow();
            Files.copy(jar, foreign.resolve("a.jar"));
        }
    }

    @ParameterizedTest
    @CsvFileSource(resources = "failed-starts.csv", delimiter = '|', quoteCharacter = '`')
    void failureNamesItsReason(String line, int status, String expected) throws Exception {
        Varve.Outcome outcome = varve.run(arguments(line));

        String message = outcome.err() + outcome.out();
        List<String> lines =
                outcome.err().lines().filter(each -> !each.startsWith("See: ")).toList();
        assertAll(
                () -> assertEquals(status, outcome.status(), message),
                () -> {
                    for (String phrase : expected.split(" … ")) {
                        assertTrue(message.contains(filled(phrase)), phrase + " in " + message);
                    }
                },
                () -> assertFalse(message.isBlank()),
                () ->
                        assertTrue(
                                lines.stream().allMatch(each -> each.startsWith("varve: ")),
                                message),
                () -> assertTrue(lines.size() <= 4, message),
                () -> assertFalse(CODE.matcher(message).find(), message));
    }

    private static String[] arguments(String line) {
        List<String> words = new ArrayList<>();
        for (String word : line.split(" +")) {
            words.add(word.equals("''") ? "" : filled(word));
            if (words.size() == 1 && LOGGING.contains(word)) {
                words.addAll(List.of("--log-level", "off"));
            }
        }
        if (words.getFirst().equals("serve") && !line.contains("--model")) {
            words.addAll(List.of("--model", "demo:qwen35"));
        }
        return words.toArray(String[]::new);
    }

    private static String filled(String text) {
        return text.strip()
                .replace("{f}", folder.toString())
                .replace("{m}", Varve.INSTALLATION.resolve("models").toString())
                .replace("{port}", Integer.toString(listening.getLocalPort()));
    }
}
