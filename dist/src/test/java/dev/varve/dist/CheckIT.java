package dev.varve.dist;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** {@code varve check} through the installation, with its demo models. */
class CheckIT {
    @TempDir static Path folder;

    private final Varve varve = new Varve(Varve.INSTALLATION, folder);

    private Varve.Outcome check(Varve program, String device, String... groups) throws Exception {
        assumeTrue(
                Files.exists(Varve.INSTALLATION.resolve("models/varve-demo-qwen35.gguf")),
                "no demo models");
        List<Object> arguments =
                new ArrayList<>(
                        List.of("check", "--device", device, "--report", folder.resolve("r")));
        for (String group : groups) {
            arguments.addAll(List.of("--group", group));
        }
        return program.run(arguments.toArray());
    }

    private static JsonNode results() throws Exception {
        return JsonMapper.shared()
                .readTree(Files.readString(folder.resolve("r.json")))
                .get("results");
    }

    private static void requireOk(Varve.Outcome outcome, Set<String> groups) throws Exception {
        assertEquals(0, outcome.status(), outcome.out() + outcome.err());
        Set<String> found = new TreeSet<>();
        for (JsonNode result : results()) {
            found.add(result.get("group").stringValue());
            assertTrue(
                    Set.of("ok", "slow").contains(result.get("result").stringValue()),
                    result::toString);
        }
        assertEquals(groups, found);
        assertTrue(outcome.out().startsWith("DEVICE"), outcome.out());
        String report = Files.readString(folder.resolve("r.md"));
        assertFalse(report.contains(Varve.INSTALLATION.toString()), report);
    }

    @Test
    void processorPassesTheCheck() throws Exception {
        Varve.Outcome outcome = check(varve, "cpu:0", "device", "copies");

        requireOk(outcome, Set.of("device", "copies"));
    }

    @Test
    @Tag("nightly")
    void processorHasNoFaults() throws Exception {
        Varve.Outcome outcome = check(varve, "cpu:0");

        requireOk(
                outcome,
                Set.of("device", "models", "operators", "copies", "decoding", "batches", "speed"));
    }

    @Test
    void softwareRendererIsCheckedOnRequest() throws Exception {
        Varve renderer = varve.with("GGML_VK_VISIBLE_DEVICES", "0");
        Varve.Outcome devices = renderer.run("devices");
        assumeTrue(devices.out().contains("vulkan:0"), devices.out());

        requireOk(check(renderer, "vulkan:0", "device", "copies"), Set.of("device", "copies"));
    }

    /** Models whose graphs follow each other in one process ended it on Mesa 22.3. */
    @Test
    @Tag("nightly")
    void aSoftwareRendererHasNoFaultsInModels() throws Exception {
        Varve renderer = varve.with("GGML_VK_VISIBLE_DEVICES", "0");
        Varve.Outcome devices = renderer.run("devices");
        assumeTrue(devices.out().contains("vulkan:0"), devices.out());

        requireOk(check(renderer, "vulkan:0", "models"), Set.of("models"));
    }

    @Test
    void missingDeviceFails() throws Exception {
        Varve.Outcome outcome = check(varve, "cpu:7");

        assertEquals(1, outcome.status(), outcome.out());
        assertTrue(outcome.out().contains("cpu:7"), outcome.out());
        assertEquals(1, results().size());
        assertEquals("failed", results().get(0).get("result").stringValue());
    }
}
