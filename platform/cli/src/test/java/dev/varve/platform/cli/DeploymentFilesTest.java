package dev.varve.platform.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.networknt.schema.InputFormat;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import picocli.CommandLine;
import picocli.CommandLine.ParseResult;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.dataformat.yaml.YAMLMapper;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Files that an installation has for clusters, containers and service managers. */
class DeploymentFilesTest {
    private static final Path FILES =
            Path.of(System.getProperty("varve.test.root"), "dist", "src", "main");
    private static final YAMLMapper YAML = YAMLMapper.builder().build();

    /** Paths of the server that a probe may ask. */
    private static final Set<String> LIFE_SIGNS = Set.of("/livez", "/health");

    private record Document(Path file, JsonNode content) {
        @Override
        public String toString() {
            return file.getFileName()
                    + ": "
                    + content.path("kind").asString()
                    + " "
                    + content.path("metadata").path("name").asString();
        }
    }

    private static List<Document> documents() {
        try (Stream<Path> files = Files.list(FILES.resolve("kubernetes"))) {
            List<Document> all = new ArrayList<>();
            for (Path file : files.sorted().toList()) {
                for (String part : Files.readString(file).split("(?m)^---$")) {
                    all.add(new Document(file, YAML.readTree(part)));
                }
            }
            return all;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<JsonNode> containers() {
        return documents().stream()
                .flatMap(document -> document.content().findValues("containers").stream())
                .flatMap(JsonNode::valueStream)
                .toList();
    }

    private static List<String> texts(JsonNode list) {
        return list.valueStream().map(JsonNode::asString).toList();
    }

    private static Schema schema() throws IOException {
        try (InputStream file =
                DeploymentFilesTest.class.getResourceAsStream("kubernetes.schema.json")) {
            return SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12)
                    .getSchema(
                            new String(file.readAllBytes(), StandardCharsets.UTF_8),
                            InputFormat.JSON);
        }
    }

    @ParameterizedTest
    @MethodSource("documents")
    void manifestMatchesItsApiSchema(Document document) throws IOException {
        String json = JsonMapper.shared().writeValueAsString(document.content());

        assertEquals(List.of(), schema().validate(json, InputFormat.JSON), document.toString());
    }

    @Test
    void misspelledFieldIsFound() throws IOException {
        Document pool =
                documents().stream()
                        .filter(each -> each.toString().contains("InferencePool"))
                        .findFirst()
                        .orElseThrow();
        String json =
                JsonMapper.shared()
                        .writeValueAsString(pool.content())
                        .replace("targetPorts", "targetPort");

        assertFalse(schema().validate(json, InputFormat.JSON).isEmpty());
    }

    @Test
    void containersUseExistingFlags() {
        List<String> commands = new ArrayList<>();
        for (JsonNode container : containers()) {
            List<String> args = texts(container.path("args"));
            CommandLine line =
                    VarveCommand.commandLine(
                            Environment.ofProcess(),
                            new PrintWriter(new StringWriter()),
                            new PrintWriter(new StringWriter()));

            ParseResult parsed = line.parseArgs(args.toArray(String[]::new));

            assertTrue(parsed.hasSubcommand(), args.toString());
            commands.add(args.getFirst());
        }
        assertEquals(List.of("serve", "serve", "shard"), commands);
    }

    @Test
    void containerMountsExistAndProbesUseHealthRoutes() {
        for (Document document : documents()) {
            for (JsonNode pod : pods(document)) {
                List<String> volumes = names(pod.path("volumes"));
                for (JsonNode container : pod.path("containers")) {
                    assertEquals(
                            volumes, names(container.path("volumeMounts")), document.toString());
                    List<String> folders =
                            container
                                    .path("volumeMounts")
                                    .valueStream()
                                    .map(mount -> mount.path("mountPath").asString())
                                    .toList();
                    for (String arg : texts(container.path("args"))) {
                        String value = arg.substring(arg.indexOf('=') + 1);
                        assertTrue(
                                !value.startsWith("/")
                                        || folders.stream().anyMatch(value::startsWith),
                                arg);
                    }
                    container
                            .findValues("httpGet")
                            .forEach(
                                    probe ->
                                            assertTrue(
                                                    LIFE_SIGNS.contains(
                                                            probe.path("path").asString())));
                }
            }
        }
    }

    private static List<JsonNode> pods(Document document) {
        return document.content().findParents("containers");
    }

    private static List<String> names(JsonNode list) {
        return list.valueStream().map(each -> each.path("name").asString()).toList();
    }

    @Test
    void selectorsMatchTheIntendedPods() {
        List<JsonNode> labels =
                documents().stream()
                        .flatMap(document -> templates(document.content()))
                        .map(template -> template.path("metadata").path("labels"))
                        .toList();
        assertEquals(3, labels.size());
        for (Document document : documents()) {
            JsonNode spec = document.content().path("spec");
            List<JsonNode> selectors = new ArrayList<>(spec.findValues("matchLabels"));
            if (document.content().path("kind").asString().equals("Service")) {
                selectors.add(spec.path("selector"));
            }
            for (JsonNode selector : selectors) {
                long found =
                        labels.stream()
                                .filter(
                                        pod ->
                                                selector.propertyStream()
                                                        .allMatch(
                                                                each ->
                                                                        pod.path(each.getKey())
                                                                                .equals(
                                                                                        each
                                                                                                .getValue())))
                                .count();
                assertEquals(1, found, document + ": " + selector);
            }
        }
    }

    /** Pods, wherever they are described. */
    private static Stream<JsonNode> templates(JsonNode node) {
        return node.path("spec").has("containers")
                ? Stream.of(node)
                : node.valueStream().flatMap(DeploymentFilesTest::templates);
    }

    @Test
    void imageCopiesTheInstallationAndRunsUnprivileged() throws IOException {
        String file = Files.readString(FILES.resolve("docker/Dockerfile"));
        String content = Files.readString(FILES.resolve("assembly/content.xml"));

        for (String folder : List.of("bin", "conf", "lib", "models", "plugins")) {
            assertTrue(
                    content.contains("<outputDirectory>" + folder + "</outputDirectory>"), folder);
            assertTrue(file.contains("\nCOPY " + folder + " /opt/varve/" + folder + "\n"), folder);
        }
        assertTrue(content.contains("<outputDirectory>docker</outputDirectory>"), content);
        assertTrue(Pattern.compile("(?m)^USER 10001:10001$").matcher(file).find());
        assertTrue(Pattern.compile("(?m)^VOLUME /var/cache/varve$").matcher(file).find());
        for (JsonNode container : containers()) {
            assertTrue(
                    container
                            .path("volumeMounts")
                            .valueStream()
                            .anyMatch(
                                    mount ->
                                            mount.path("mountPath")
                                                    .asString()
                                                    .equals("/var/cache/varve")));
        }
    }

    /** A flag that the unit gives itself could not be given a second time. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "--model m.gguf --host 0.0.0.0 --port 9090 --api-key-file keys --allowed-host a"
            })
    void serviceUsesExistingFlags(String flags) throws IOException {
        String unit = Files.readString(FILES.resolve("systemd/varve.service"));
        List<String> words = new ArrayList<>(Arrays.asList(value(unit, "ExecStart").split(" ")));
        assertEquals("/opt/varve/bin/varve", words.removeFirst());
        assertEquals("$VARVE_FLAGS", words.removeLast());
        String used =
                flags.isEmpty() ? value(unit, "Environment").replace("VARVE_FLAGS=", "") : flags;
        words.addAll(List.of(used.split(" ")));

        CommandLine line =
                VarveCommand.commandLine(
                        Environment.ofProcess(),
                        new PrintWriter(new StringWriter()),
                        new PrintWriter(new StringWriter()));

        assertTrue(line.parseArgs(words.toArray(String[]::new)).hasSubcommand());
    }

    /** Else the service does not start there at all. */
    @Test
    void serviceDoesNotNeedOptionalFolders() throws IOException {
        String unit = Files.readString(FILES.resolve("systemd/varve.service"));

        List<String> needed =
                Stream.of(value(unit, "ExecPaths").split(" "))
                        .filter(path -> !path.startsWith("-"))
                        .toList();

        assertEquals(List.of("/opt/varve", "%C/varve", "/usr"), needed);
    }

    private static String value(String unit, String key) {
        return unit.lines()
                .filter(line -> line.startsWith(key + "="))
                .findFirst()
                .orElseThrow()
                .substring(key.length() + 1);
    }

    @Test
    void systemdAcceptsTheServiceAndRatesItsExposureLow() throws Exception {
        Path unit = FILES.resolve("systemd/varve.service");

        Optional<String> exposure =
                run("systemd-analyze", "security", "--offline=true", unit.toString());

        assumeTrue(exposure.isPresent(), "systemd-analyze is not there");
        String text = exposure.get();
        assertFalse(text.contains("Unknown"), text);
        var level = Pattern.compile("Overall exposure level for \\S+: ([0-9.]+)").matcher(text);
        assumeTrue(level.find(), "this systemd-analyze looks at no files: " + text);
        assertTrue(Double.parseDouble(level.group(1)) <= 2.5, level.group());
    }

    /** Runs a program and returns its output; empty if the program is not installed. */
    static Optional<String> run(String... command) throws Exception {
        try {
            Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
            process.getOutputStream().close();
            String text =
                    new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertTrue(process.waitFor(60, TimeUnit.SECONDS));
            return Optional.of(text);
        } catch (IOException e) {
            return Optional.empty();
        }
    }
}
