package dev.varve.api.ggml;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Optional;

/** Operators that are taken from a graph and computed alone. */
class OperatorSampleTest {
    /** An operator, what its graph computed, and what it computes alone. */
    private record Found(OperatorSample sample, float[] inGraph, float[] alone) {}

    private static Found take(Cpu.Bench bench, GgmlContext nodes, Tensor result, String name) {
        Graph graph = nodes.newGraph(16);
        graph.expand(result.markOutput());
        try (Backend backend = Cpu.device().open();
                GraphAllocator allocator = new GraphAllocator(Cpu.device().bufferType())) {
            backend.setThreads(1);
            allocator.allocate(graph);
            for (int i = 0; i < graph.nodes(); i++) {
                Optional<String> signature = OperatorSample.signature(graph, i);
                boolean wanted = signature.filter(text -> text.startsWith(name + " ")).isPresent();
                if (!wanted) {
                    backend.compute(graph.range(i, i + 1));
                    continue;
                }
                OperatorSample sample = OperatorSample.of(graph, i).orElseThrow();
                backend.compute(graph.range(i, i + 1));
                float[] inGraph = OperatorSample.result(graph, i);
                return new Found(
                        sample,
                        inGraph,
                        sample.compute(Cpu.device().bufferType(), backend::compute));
            }
        }
        throw new AssertionError("no " + name + " with inputs of " + bench);
    }

    @Test
    void productOfAViewHasTheSameBits() {
        try (Cpu.Bench bench = new Cpu.Bench();
                GgmlContext nodes = GgmlContext.open(16, 16)) {
            Tensor weights = bench.random(1, 8, 4);
            Tensor wide = bench.random(2, 16, 3);
            Ops ops = nodes.ops();
            Tensor part = ops.view2d(wide, 8, 3, wide.nb(1), 8 * Float.BYTES);

            Found found = take(bench, nodes, ops.mulMat(weights, part), "MUL_MAT");

            assertArrayEquals(found.inGraph(), found.alone());
            assertEquals(4 * 3, found.alone().length);
            assertEquals(List.of(GgmlType.F32, GgmlType.F32), found.sample().operandTypes());
            assertTrue(found.sample().isMatrixProduct());
            assertTrue(found.sample().isSupportedBy(Cpu.device()));
        }
    }

    @Test
    void inPlaceOperatorWritesToItsOwnMemory() {
        try (Cpu.Bench bench = new Cpu.Bench();
                GgmlContext nodes = GgmlContext.open(16, 16)) {
            float[] rows = Cpu.noise(3, 4 * 5);
            Tensor target = bench.floats(rows, 4, 5);
            Tensor source = bench.random(4, 4, 2);

            Found found =
                    take(
                            bench,
                            nodes,
                            nodes.ops().setRows(target, source, bench.ints(3, 1)),
                            "SET_ROWS");

            assertArrayEquals(found.inGraph(), found.alone());
            assertEquals(rows[0], found.alone()[0]);
        }
    }

    @Test
    void viewsAreNotOperators() {
        try (Cpu.Bench bench = new Cpu.Bench();
                GgmlContext nodes = GgmlContext.open(16, 16)) {
            Tensor view = nodes.ops().view2d(bench.random(1, 8, 4), 4, 4, 32, 0);
            Graph graph = nodes.newGraph(4);
            graph.expand(view);

            assertEquals(Optional.empty(), OperatorSample.signature(graph, 0));
        }
    }
}
