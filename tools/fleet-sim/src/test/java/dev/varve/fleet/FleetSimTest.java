package dev.varve.fleet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Document;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;

import javax.xml.parsers.DocumentBuilderFactory;

/** Tests the command and its files. */
class FleetSimTest {
    @TempDir private Path folder;

    private final StringWriter text = new StringWriter();

    private int run(String... arguments) {
        return FleetSim.run(new PrintWriter(text), arguments);
    }

    @Test
    void resultsArePrintedAndWritten() throws Exception {
        Path json = folder.resolve("results.json");
        Path svg = folder.resolve("chart.svg");

        int status =
                run(
                        "--replicas=1,2",
                        "--scenario=random,prefix + store",
                        "--workload=tool-agent",
                        "--requests=40",
                        "--json=" + json,
                        "--svg=" + svg);

        assertEquals(0, status, text::toString);
        assertEquals(6, text.toString().lines().count(), text::toString);
        JsonNode results = JsonMapper.shared().readTree(Files.readString(json));
        assertEquals(4, results.size());
        assertEquals("prefix + store", results.get(3).get("scenario").asString());
        assertEquals(80, results.get(3).get("result").get("counts").get("finished").asInt());
        Document chart =
                DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(svg.toFile());
        assertEquals(4, chart.getElementsByTagName("polyline").getLength());
    }

    @Test
    void unknownNamesAreRefused() {
        assertEquals(2, run("--scenario=fastest"));
        assertTrue(text.toString().contains("--scenario: expected one of random"), text::toString);
        assertEquals(2, run("--workload=poems"));
    }
}
