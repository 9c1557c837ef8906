package dev.varve.dist;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import static java.net.http.HttpResponse.BodyHandlers.ofString;

import dev.varve.testkit.Qwen35Model;
import dev.varve.testkit.TensorType;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.io.OutputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;

import javax.tools.ToolProvider;

/**
 * A family plugin that somebody else wrote: compiled against the installation's api alone and
 * dropped into {@code plugins/}. Its architecture is {@code acmeLM}; its models are an embedding
 * table, a norm and an output head around one gated feed-forward, so the answer can be worked out
 * by hand.
 */
class ThirdPartyPluginIT {
    private static final String MODULE =
            """
            module acme.tiny {
                requires dev.varve.api;
                provides dev.varve.api.model.ModelFamilyProvider with acme.tiny.TinyFamily;
            }
            """;

    private static final String FAMILY =
            """
            package acme.tiny;
            import dev.varve.api.ggml.Tensor;
            import dev.varve.api.gguf.GgufFile;
            import dev.varve.api.model.*;
            import java.util.*;
            public final class TinyFamily implements ModelFamilyProvider {
                public Set<String> architectures() { return Set.of("acme35"); }
                public LayerSplitAdapter open(GgufFile file, ModelOptions options) {
                    var embedding = file.requireTensor("token_embd.weight");
                    int width = (int) embedding.ne(0);
                    int vocabulary = (int) embedding.ne(1);
                    float epsilon = (float) file.metadata().number("acme35.attention.layer_norm_rms_epsilon");
                    return new LayerSplitAdapter() {
                        public ModelShape shape() {
                            return new ModelShape("acme35", width, vocabulary, 1024,
                                    List.of(new LayerState.FullAttention(1, width, width)), 0);
                        }
                        public TensorSelection tensors(LayerRange range) {
                            var selection = new TensorSelection.Builder()
                                    .add(embedding, TensorUse.ROW_LOOKUP)
                                    .add(file.requireTensor("output_norm.weight"), TensorUse.ELEMENTWISE)
                                    .add(file.requireTensor("output.weight"), TensorUse.MATMUL);
                            for (String name : List.of("gate", "up", "down")) {
                                selection.add(file.requireTensor("blk.0.ffn_" + name + ".weight"), TensorUse.MATMUL);
                            }
                            return selection.build();
                        }
                        public void build(ShardGraph graph, LayerRange range) {
                            Tensor all = graph.embed("token_embd.weight");
                            Tensor rows = graph.heads(all, 1);
                            graph.attention(0, rows, rows, rows, 1); // kept, and left aside
                            Tensor x = graph.outputColumns(all);
                            Tensor y = graph.gatedFeedForward(x, ShardGraph.FeedForwardNames.of("blk.0.ffn"), ShardGraph.Activation.SILU);
                            Tensor z = graph.norm(graph.ops().add(y, x), "output_norm.weight", epsilon);
                            graph.logits(graph.matmul("output", z));
                        }
                        public ChatDialect chatDialect() { return ChatDialect.plain(); }
                    };
                }
            }
            """;

    @TempDir Path folder;

    private Path installation;
    private Path model;

    @BeforeEach
    void copyInstallation() throws Exception {
        installation = folder.resolve("varve");
        try (Stream<Path> files = Files.walk(Varve.INSTALLATION)) {
            for (Path file : files.toList()) {
                Path target = installation.resolve(Varve.INSTALLATION.relativize(file).toString());
                if (Files.isDirectory(file)) {
                    Files.createDirectories(target);
                } else {
                    Files.copy(file, target, java.nio.file.StandardCopyOption.COPY_ATTRIBUTES);
                }
            }
        }
        // The bytes of a random model under another architecture; its own layers are not used.
        Path original = Qwen35Model.odd(4).withType(TensorType.F32).write(folder);
        String bytes =
                Files.readString(original, StandardCharsets.ISO_8859_1)
                        .replace("qwen35.", "acme35.");
        int value = bytes.indexOf("qwen35", bytes.indexOf("general.architecture"));
        model =
                Files.writeString(
                        folder.resolve("acme.gguf"),
                        bytes.substring(0, value) + "acme35" + bytes.substring(value + 6),
                        StandardCharsets.ISO_8859_1);
    }

    @Test
    void aDroppedJarServesItsArchitectureAndARemovedOneIsGone() throws Exception {
        Varve varve = new Varve(installation, folder);
        Varve.Outcome before = varve.run("generate", "--model", model, "--prompt", "x");
        assertEquals(1, before.status(), before.toString());
        assertTrue(
                before.err().contains("acme35") && before.err().contains("qwen35"), before.err());

        Path jar = compile();
        Varve.Outcome with =
                varve.run(
                        "generate",
                        "--model",
                        model,
                        "--tokens",
                        "1,2,3",
                        "--max-tokens",
                        12,
                        "--temperature",
                        0,
                        "--ignore-eos",
                        "--json");
        assertEquals(0, with.status(), with.toString());
        JsonNode tokens = new JsonMapper().readTree(with.out()).get("tokens");
        int[] actual = new int[tokens.size()];
        for (int i = 0; i < actual.length; i++) {
            actual[i] = tokens.get(i).intValue();
        }
        assertArrayEquals(new TinyModel(model).greedy(3, 12), actual);

        Files.delete(jar);
        assertEquals(1, varve.run("generate", "--model", model, "--prompt", "x").status());
    }

    /** What it records at load is refused before anybody waits for an answer. */
    @Test
    void aFamilyThatForgetsItsLogitsIsRefusedInOneLine() throws Exception {
        compile(FAMILY.replace("graph.logits(graph.matmul(\"output\", z))", "graph.tokens()"));

        Varve.Outcome outcome =
                new Varve(installation, folder)
                        .run("generate", "--model", model, "--tokens", "1,2,3", "--ignore-eos");

        assertEquals(1, outcome.status(), outcome.toString());
        assertTrue(
                outcome.err()
                        .contains("varve: plugin acme.tiny: acme35, layers [0, 1): logits was not"),
                outcome.err());
    }

    /**
     * Its family throws in every step of a short prompt, which is none of those recorded at load,
     * as a device does that has failed for good.
     */
    @Test
    void aServerThatCanComputeNoMoreSaysSoAndEndsWithStatusOne() throws Exception {
        compile(
                FAMILY.replace(
                        "Tensor x = ",
                        "if (graph.tokens() > 1 && graph.tokens() < 64) throw new Error(\"lost\");"
                                + " Tensor x = "));
        try (Varve.Server server =
                        new Varve(installation, folder).serve("--model", model, "--parallel", 1);
                HttpClient client = HttpClient.newHttpClient()) {
            Set<Integer> statuses = new TreeSet<>();
            for (int i = 0; i < 8; i++) {
                HttpRequest request =
                        HttpRequest.newBuilder(URI.create(server.url() + "/v1/completions"))
                                .POST(
                                        HttpRequest.BodyPublishers.ofString(
                                                "{\"prompt\": \"a few words\", \"max_tokens\": 4}"))
                                .header("Content-Type", "application/json")
                                .build();
                statuses.add(client.send(request, ofString()).statusCode());
            }
            HttpRequest ask = HttpRequest.newBuilder(URI.create(server.url() + "/health")).build();
            HttpResponse<String> health = client.send(ask, ofString());
            while (health.statusCode() == 200) {
                // The last answer may be out before the engine has given up.
                health = client.send(ask, ofString());
            }

            assertEquals(Set.of(500), statuses);
            assertEquals(503, health.statusCode(), health.body());
            assertTrue(
                    health.body().contains("\"failed\"")
                            && health.body().contains("8 steps failed"),
                    health.body());
            assertTrue(server.ends());
            assertEquals(1, server.status());
        }
    }

    @Test
    void aBrokenJarIsReportedAndTheRestWorks() throws Exception {
        Files.writeString(installation.resolve("plugins/garbage.jar"), "no jar");

        Varve.Outcome outcome = new Varve(installation, folder).run("plugins");

        assertEquals(1, outcome.status(), outcome.toString());
        assertTrue(
                outcome.out().contains("garbage.jar") && outcome.out().contains("qwen35"),
                outcome.out());
    }

    private Path compile() throws Exception {
        return compile(FAMILY);
    }

    private Path compile(String family) throws Exception {
        Path sources = Files.createDirectories(folder.resolve("acme/acme/tiny"));
        Files.writeString(folder.resolve("acme/module-info.java"), MODULE);
        Files.writeString(sources.resolve("TinyFamily.java"), family);
        Path classes = folder.resolve("classes");
        int status =
                ToolProvider.getSystemJavaCompiler()
                        .run(
                                null,
                                null,
                                null,
                                "-p",
                                installation.resolve("lib").toString(),
                                "-d",
                                classes.toString(),
                                folder.resolve("acme/module-info.java").toString(),
                                sources.resolve("TinyFamily.java").toString());
        assertEquals(0, status, "the plugin compiles against the api alone");
        Path jar = installation.resolve("plugins/acme-tiny.jar");
        try (OutputStream file = Files.newOutputStream(jar);
                JarOutputStream out = new JarOutputStream(file);
                Stream<Path> compiled = Files.walk(classes)) {
            for (Path each : compiled.filter(Files::isRegularFile).toList()) {
                out.putNextEntry(new JarEntry(classes.relativize(each).toString()));
                Files.copy(each, out);
            }
        }
        return jar;
    }
}
