package dev.varve.dist;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.testkit.ByDay;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Speculators that somebody else wrote: one that sees hidden states, and one for each of the faults
 * that such code may have. Compiled against the installation's api alone.
 */
@Timeout(180)
class SpeculatorPluginIT {
    private static final JsonMapper JSON = JsonMapper.shared();

    /** A speculator that keeps the contract; it needs nothing but the api. */
    private static final Path ECHO =
            Path.of(
                    System.getProperty("varve.test.root"),
                    "contracts/src/test/java/dev/varve/contracts/EchoSpeculator.java");

    /** A speculator that drafts well twice. Later calls run the code that the test inserts. */
    private static final String FAULTY =
            """
            package acme.guess;

            import dev.varve.api.speculation.*;
            import java.util.*;

            public final class %1$s implements SpeculatorProvider {
                @Override
                public String name() {
                    return "acme-%2$s";
                }

                @Override
                public Speculator open(SpeculationTarget target) {
                    Speculator echo = new EchoSpeculator(target);
                    return new Speculator() {
                        private int calls;

                        @Override
                        public List<Integer> captures() {
                            return %4$s;
                        }

                        @Override
                        public int mostTokens() {
                            return %5$s;
                        }

                        @Override
                        public void observe(HiddenStates states) {
                            echo.observe(states);
                        }

                        @Override
                        public List<Draft> propose(List<DraftRequest> sequences) {
                            List<Draft> drafts = echo.propose(sequences);
                            if (++calls <= 2) {
                                return drafts;
                            }
                            %3$s
                        }

                        @Override
                        public void forget(long sequence) {
                            echo.forget(sequence);
                        }

                        @Override
                        public void close() {
                            throw new IllegalStateException("not even that");
                        }
                    };
                }
            }
            """;

    private static final String CAPTURES = "echo.captures()";

    private static final String MOST = "echo.mostTokens()";

    @TempDir static Path folder;

    private static Varve varve;

    /** The answer of the model without draft tokens. */
    private static JsonNode plain;

    @BeforeAll
    static void install() throws Exception {
        DemoFamily.QWEN35.requireInstalled();
        Path installation = InstallationCopy.in(folder);
        varve = new Varve(installation, folder);
        PluginJar.drop(installation, sources(), "acme-guess.jar");
        plain = answer(generate());
    }

    private static Path sources() throws IOException {
        Path sources = folder.resolve("acme");
        Path classes = Files.createDirectories(sources.resolve("acme/guess"));
        Files.writeString(
                classes.resolve("EchoSpeculator.java"),
                Files.readString(ECHO)
                        .replace("package dev.varve.contracts;", "package acme.guess;"));
        List<String> providers = new ArrayList<>(List.of("EchoSpeculator.Provider"));
        providers.add(faulty(classes, "Throwing", "throw new AssertionError(\"no luck\");"));
        providers.add(faulty(classes, "Empty", "return null;"));
        providers.add(
                faulty(
                        classes,
                        "Alien",
                        "return all(sequences, target.shape().vocabularySize());"));
        providers.add(faulty(classes, "Endless", "return all(sequences, new int[5000]);"));
        String unused = "return drafts;";
        providers.add(faulty(classes, "Mute", unused, CAPTURES, "0"));
        providers.add(faulty(classes, "Beyond", unused, "List.of(0, 99)", MOST));
        Files.writeString(
                sources.resolve("module-info.java"),
                """
                module acme.guess {
                    requires dev.varve.api;

                    provides dev.varve.api.speculation.SpeculatorProvider with
                            %s;
                }
                """
                        .replace(
                                "%s",
                                providers.stream()
                                        .map(name -> "acme.guess." + name)
                                        .collect(Collectors.joining(",\n"))));
        return sources;
    }

    private static String faulty(Path classes, String name, String fault) throws IOException {
        return faulty(classes, name, fault, CAPTURES, MOST);
    }

    private static String faulty(
            Path classes, String name, String fault, String captures, String most)
            throws IOException {
        String body =
                fault.replaceAll(
                        "all\\(sequences, (.*)\\);",
                        "sequences.stream().map(each -> Draft.of($1)).toList();");
        Files.writeString(
                classes.resolve(name + ".java"),
                FAULTY.replace("%1$s", name)
                        .replace("%2$s", name.toLowerCase(Locale.ROOT))
                        .replace("%3$s", body)
                        .replace("%4$s", captures)
                        .replace("%5$s", most));
        return name;
    }

    private static Varve.Outcome generate(Object... more) throws Exception {
        return varve.run(
                Stream.concat(
                                Stream.of(
                                        "generate",
                                        "--model",
                                        DemoFamily.QWEN35.reference(),
                                        "--chat",
                                        "Tell me a story.",
                                        "--max-tokens",
                                        90,
                                        "--temperature",
                                        0.3,
                                        "--seed",
                                        7,
                                        "--json"),
                                Stream.of(more))
                        .toArray());
    }

    private static JsonNode answer(Varve.Outcome outcome) {
        assertEquals(0, outcome.status(), outcome.toString());
        return JSON.readTree(outcome.out());
    }

    @Test
    @Tag("nightly")
    void installedSpeculatorIsListedWithItsModule() throws Exception {
        JsonNode plugins = JSON.readTree(varve.run("plugins", "--json").out());

        JsonNode acme =
                plugins.get("loaded")
                        .valueStream()
                        .filter(plugin -> plugin.get("module").asString().equals("acme.guess"))
                        .findFirst()
                        .orElseThrow(() -> new AssertionError(plugins.toString()));
        List<String> names =
                acme.get("speculators").valueStream().map(JsonNode::asString).sorted().toList();
        assertEquals(
                List.of(
                        "acme-alien",
                        "acme-beyond",
                        "acme-empty",
                        "acme-endless",
                        "acme-mute",
                        "acme-throwing",
                        "echo"),
                names);
    }

    @Test
    void installedSpeculatorDraftsTokens() throws Exception {
        Varve.Outcome outcome = generate("--draft", "echo", "--draft-width", 3);

        JsonNode answer = answer(outcome);
        assertEquals(plain.get("tokens"), answer.get("tokens"));
        assertEquals(plain.get("text"), answer.get("text"));
        assertTrue(answer.at("/timings/draft_tokens").asInt() > 5, outcome.toString());
        assertTrue(!outcome.err().contains("failed"), outcome.err());
    }

    @ParameterizedTest
    @CsvSource({
        "acme-throwing, no luck",
        "acme-empty, NullPointerException",
        "acme-alien, outside the vocabulary",
    })
    @ByDay(1)
    void faultIsReportedAndDoesNotChangeTheOutput(String name, String reason) throws Exception {
        Varve.Outcome outcome = generate("--draft", name, "--draft-width", 3);

        JsonNode answer = answer(outcome);
        assertEquals(plain.get("tokens"), answer.get("tokens"));
        assertTrue(
                outcome.err().contains("the speculator failed") && outcome.err().contains(reason),
                outcome.toString());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "acme-mute | mostTokens(): expected 1 or more, found 0",
                "acme-beyond | found [0, 99]",
            })
    @ByDay(2)
    void speculatorPropertiesAreCheckedBeforeTheModelLoads(String name, String reason)
            throws Exception {
        Varve.Outcome outcome = generate("--draft", name);

        assertTrue(outcome.status() != 0, outcome.toString());
        assertTrue(
                outcome.err().contains("acme.guess: speculator " + name)
                        && outcome.err().contains(reason),
                outcome.toString());
    }

    @Test
    @Tag("nightly")
    void excessDraftTokensAreDropped() throws Exception {
        Varve.Outcome outcome = generate("--draft", "acme-endless", "--draft-max", 5);

        JsonNode answer = answer(outcome);
        assertEquals(plain.get("tokens"), answer.get("tokens"));
        assertTrue(!outcome.err().contains("failed"), outcome.err());
    }

    @Test
    @Tag("nightly")
    void unknownSpeculatorIsRefusedWithTheFlag() throws Exception {
        Varve.Outcome outcome = generate("--draft", "nobody");

        assertTrue(outcome.status() != 0, outcome.toString());
        String last = outcome.err().lines().reduce("", (before, line) -> line);
        assertTrue(last.contains("--draft: ") && last.contains("nobody"), outcome.toString());
    }
}
