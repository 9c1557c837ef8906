package dev.varve.dist;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.testkit.GeneratedFile;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Path;

/**
 * The picture of the modules shows the descriptors that are checked in, which {@code
 * ModuleDescriptorsIT} compares with the jars.
 */
class ModuleGraphTest {
    private static final Path DESCRIPTORS =
            Path.of(System.getProperty("varve.test.root"), "dist/src/test/modules");

    @Test
    void diagramShowsTheModules() throws IOException {
        GeneratedFile.of("docs/modules.svg")
                .check(ModuleGraphSvg.of(ModuleGraph.read(DESCRIPTORS)));
    }

    @Test
    void everyArrowPointsDownwards() throws IOException {
        ModuleGraph graph = ModuleGraph.read(DESCRIPTORS).reduced();

        LayeredLayout layout = new LayeredLayout(graph, module -> 10);

        for (var layer : layout.layers()) {
            for (LayeredLayout.Place place : layer) {
                place.below().forEach(each -> assertEquals(place.layer() - 1, each.layer()));
            }
        }
    }

    @Test
    void boxesOfALayerDoNotOverlap() throws IOException {
        LayeredLayout layout =
                new LayeredLayout(ModuleGraph.read(DESCRIPTORS).reduced(), String::length);

        for (var layer : layout.layers()) {
            for (int i = 1; i < layer.size(); i++) {
                LayeredLayout.Place left = layer.get(i - 1);
                LayeredLayout.Place right = layer.get(i);
                assertTrue(
                        left.x() + left.width() / 2 < right.x() - right.width() / 2,
                        left.name() + " and " + right.name());
            }
        }
    }

    @Test
    void transitiveArrowIsOmitted() {
        ModuleGraph graph = ModuleGraph.of("c b", "b a", "c a", "d a");

        assertEquals(ModuleGraph.of("c b", "b a", "d a"), graph.reduced());
    }
}
