package dev.varve.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.varve.platform.chat.TrainedChat;
import dev.varve.testkit.Claim;
import dev.varve.testkit.ClaimResult;
import dev.varve.testkit.Effort;
import dev.varve.testkit.GeneratedFile;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The tables of docs/models.md: by day, whether their rows and columns are those of the code; at
 * night, whether their cells are the results of this build.
 */
class ModelTableTest {
    private static final String DOCUMENT = "docs/models.md";
    private static final String BEGIN = "<!-- results of tests -->";
    private static final String END = "<!-- end of results -->";

    /** Fewest random models that are compared with libllama. */
    private static final int LEAST_MODELS = 50;

    /** Modules whose tests write results. */
    private static final List<String> MODULES =
            List.of(
                    "conformance/numerics",
                    "conformance/engine",
                    "conformance/shards",
                    "client-node");

    private static final Path ROOT = Path.of(System.getProperty("varve.test.root"));

    /** Architectures that generate text; docs/embeddings.md has those that only encode. */
    private static Set<String> architectures() {
        return Cpu.families().stream()
                .filter(family -> !family.getClass().getPackageName().endsWith(".embedders"))
                .flatMap(family -> family.architectures().stream())
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static Set<String> templates() {
        return Arrays.stream(TrainedChat.values())
                .map(TrainedChat::template)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    @Test
    void rowsAndColumnsAreThoseOfTheCode() throws IOException {
        List<List<String>> rows = rows();

        ClaimTable empty = new ClaimTable(List.of());
        List<String> expected =
                Stream.of(empty.byArchitecture(architectures()), empty.byTemplate(templates()))
                        .flatMap(String::lines)
                        .filter(line -> !line.startsWith("|---"))
                        .toList();
        assertEquals(
                expected.stream().map(line -> cells(line).getFirst()).toList(),
                rows.stream().map(List::getFirst).toList(),
                "run the nightly build with -D" + GeneratedFile.WRITE + "=true");
        assertEquals(cells(expected.getFirst()), rows.getFirst());
        int second = architectures().size() + 1;
        assertEquals(cells(expected.get(second)), rows.get(second));
    }

    private static List<List<String>> rows() throws IOException {
        String text = Files.readString(ROOT.resolve(DOCUMENT));
        return text.substring(text.indexOf(BEGIN), text.indexOf(END))
                .lines()
                .filter(line -> line.startsWith("|") && !line.startsWith("|---"))
                .map(ModelTableTest::cells)
                .toList();
    }

    private static List<String> cells(String line) {
        return Arrays.stream(line.substring(1).split("\\|")).map(String::strip).toList();
    }

    @Test
    void templatesBelongToKnownArchitectures() {
        for (TrainedChat chat : TrainedChat.values()) {
            assertTrue(architectures().containsAll(chat.architectures()), chat.name());
        }
    }

    /** Also writes them. */
    @Test
    void cellsAreTheResultsOfTheNightlyBuild() {
        assumeTrue(Effort.isFull(), "by day tests run some cases");
        ClaimTable table =
                new ClaimTable(
                        MODULES.stream()
                                .flatMap(module -> ClaimResult.readAll(folder(module)).stream())
                                .toList());
        assumeTrue(
                Arrays.stream(Claim.values()).allMatch(claim -> table.models(claim) > 0),
                "some tests did not run");
        long models = table.models(Claim.PARITY);

        assertTrue(models >= LEAST_MODELS, models + " models");
        GeneratedFile.of(DOCUMENT).checkBetween(BEGIN, END, text(table, models));
    }

    private static Path folder(String module) {
        return ROOT.resolve(module).resolve("target").resolve("claims");
    }

    private static String text(ClaimTable table, long models) {
        return "\n"
                + models
                + " random models of these architectures have the logits of libllama.\n\n"
                + table.byArchitecture(architectures())
                + "\n"
                + table.byTemplate(templates())
                + "\n";
    }
}
