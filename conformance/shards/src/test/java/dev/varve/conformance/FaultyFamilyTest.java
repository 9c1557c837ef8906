package dev.varve.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.api.ggml.DeltaInputs;
import dev.varve.api.ggml.Extents;
import dev.varve.api.ggml.Ops;
import dev.varve.api.ggml.Strides;
import dev.varve.api.ggml.Tensor;
import dev.varve.api.model.ChatDialect;
import dev.varve.api.model.LayerRange;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.api.model.LayerState;
import dev.varve.api.model.ModelShape;
import dev.varve.api.model.ShardGraph;
import dev.varve.api.model.TensorSelection;
import dev.varve.api.model.TensorUse;
import dev.varve.conformance.RandomModel.Family;
import dev.varve.platform.remote.BoundaryType;
import dev.varve.platform.shard.Shard;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;

/**
 * A family that records something that cannot be right is refused when it is loaded, in one line
 * that says who, where and what. Each fault is put between a real family and the platform.
 */
@Timeout(300)
class FaultyFamilyTest {
    private static final String HERE = "cpu:0";

    @TempDir static Path models;
    private static SplitModel model;

    @BeforeAll
    static void writeModel() throws Exception {
        model =
                SplitModel.of(
                        Family.QWEN35.odd(8).write(models),
                        Cpu.settings(512, 1, Cpu.F16),
                        BoundaryType.F32,
                        device -> {
                            throw new AssertionError("no other process");
                        });
    }

    /** A faulty family replaces one call with this, instead of passing the call on. */
    @FunctionalInterface
    private interface Instead {
        Object call(ShardGraph graph, Object[] arguments);
    }

    private enum Fault {
        LOGITS_MISSING("logits", "logits was not called") {
            @Override
            Object call(ShardGraph graph, Object[] arguments) {
                return null;
            }
        },
        LOGITS_TWICE("logits", "logits: called a second time") {
            @Override
            Object call(ShardGraph graph, Object[] arguments) {
                graph.logits((Tensor) arguments[0]);
                graph.logits((Tensor) arguments[0]);
                return null;
            }
        },
        LOGITS_OF_ANOTHER_LENGTH("logits", "contiguous, found F32 [5]") {
            @Override
            Object call(ShardGraph graph, Object[] arguments) {
                graph.logits(graph.ops().view2d((Tensor) arguments[0], 5, 1, 20, 0));
                return null;
            }
        },
        LOGITS_OF_ALL_COLUMNS("outputColumns", "outputColumns, which keeps the wanted columns") {
            @Override
            Object call(ShardGraph graph, Object[] arguments) {
                return arguments[0];
            }
        },
        COLUMNS_OF_ITS_OWN_CHOICE("outputColumns", "outputColumns was not called") {
            @Override
            Object call(ShardGraph graph, Object[] arguments) {
                Tensor all = (Tensor) arguments[0];
                // As many as are requested at load.
                return graph.ops().view2d(all, all.ne(0), 3, all.nb(1), 0);
            }
        },
        LOGITS_INSTEAD_OF_A_BOUNDARY("boundaryOutput", "end with boundaryOutput") {
            @Override
            Object call(ShardGraph graph, Object[] arguments) {
                graph.logits((Tensor) arguments[0]);
                return null;
            }
        },
        BOUNDARY_MISSING("boundaryOutput", "boundaryOutput was not called") {
            @Override
            Object call(ShardGraph graph, Object[] arguments) {
                return null;
            }
        },
        BOUNDARY_OF_ANOTHER_LENGTH("boundaryOutput", "boundaryOutput: expected F32 [") {
            @Override
            Object call(ShardGraph graph, Object[] arguments) {
                Tensor all = (Tensor) arguments[0];
                Ops ops = graph.ops();
                graph.boundaryOutput(
                        ops.cont(ops.view2d(all, all.ne(0) - 1, all.ne(1), all.nb(1), 0)));
                return null;
            }
        },
        ATTENTION_MISSING("attention", "attention: was not called") {
            @Override
            Object call(ShardGraph graph, Object[] arguments) {
                Tensor query = (Tensor) arguments[1];
                return graph.ops()
                        .reshape2d(graph.ops().cont(query), query.ne(0) * query.ne(1), query.ne(2));
            }
        },
        ATTENTION_TWICE("attention", "attention: called a second time") {
            @Override
            Object call(ShardGraph graph, Object[] arguments) {
                attend(graph, (int) arguments[0], arguments);
                return attend(graph, (int) arguments[0], arguments);
            }
        },
        ATTENTION_OF_ANOTHER_KIND_OF_LAYER(
                "attention", "expected [causalConvolution, gatedDelta], since it keeps Recurrent") {
            @Override
            Object call(ShardGraph graph, Object[] arguments) {
                int recurrent =
                        IntStream.range(0, model.adapter().shape().layerCount())
                                .filter(FaultyFamilyTest::isRecurrent)
                                .findFirst()
                                .orElseThrow();
                return attend(graph, recurrent, arguments);
            }
        },
        ATTENTION_OUTSIDE_OF_THE_RANGE("attention", "attention: the layer is outside the range") {
            @Override
            Object call(ShardGraph graph, Object[] arguments) {
                return attend(graph, 99, arguments);
            }
        },
        KEYS_WITH_TOO_MANY_HEADS("attention", "attention: key: expected F32 [") {
            @Override
            Object call(ShardGraph graph, Object[] arguments) {
                Tensor query = (Tensor) arguments[1];
                return graph.attention(
                        (int) arguments[0],
                        query,
                        graph.ops().concat(query, query, 1),
                        (Tensor) arguments[3],
                        1);
            }
        },
        QUERIES_OF_ONE_TOKEN("attention", "attention: query: expected F32 [") {
            @Override
            Object call(ShardGraph graph, Object[] arguments) {
                Tensor query = (Tensor) arguments[1];
                return graph.attention(
                        (int) arguments[0],
                        graph.ops()
                                .view(
                                        query,
                                        Extents.of(query.ne(0), query.ne(1), query.ne(2) - 1),
                                        Strides.of(query.nb(1), query.nb(2)),
                                        0),
                        (Tensor) arguments[2],
                        (Tensor) arguments[3],
                        1);
            }
        },
        DELTA_MISSING("gatedDelta", "gatedDelta: was not called") {
            @Override
            Object call(ShardGraph graph, Object[] arguments) {
                return ((DeltaInputs) arguments[1]).value();
            }
        },
        SCALARS_OF_ANOTHER_SHAPE("gatedDelta", "gatedDelta: beta: expected F32 [") {
            @Override
            Object call(ShardGraph graph, Object[] arguments) {
                DeltaInputs inputs = (DeltaInputs) arguments[1];
                return graph.gatedDelta(
                        (int) arguments[0],
                        new DeltaInputs(
                                inputs.query(),
                                inputs.key(),
                                inputs.value(),
                                inputs.decay(),
                                inputs.value()));
            }
        },
        A_TRANSPOSED_KERNEL("causalConvolution", "causalConvolution: kernel: expected F32 [") {
            @Override
            Object call(ShardGraph graph, Object[] arguments) {
                return graph.causalConvolution(
                        (int) arguments[0],
                        (Tensor) arguments[1],
                        graph.ops().cont(graph.ops().transpose((Tensor) arguments[2])));
            }
        },
        A_WEIGHT_THAT_WAS_NOT_SELECTED(
                "outputColumns", "weight blk.99.attn_q.weight was not selected for MATMUL") {
            @Override
            Object call(ShardGraph graph, Object[] arguments) {
                return graph.matmul("blk.99.attn_q", (Tensor) arguments[0]);
            }
        },
        AN_EXCEPTION("attention", "ArrayIndexOutOfBoundsException: Index 5 out of bounds") {
            @Override
            Object call(ShardGraph graph, Object[] arguments) {
                throw new ArrayIndexOutOfBoundsException("Index 5 out of bounds for length 4");
            }
        },
        AN_ERROR("outputColumns", "build failed after blk.") {
            @Override
            Object call(ShardGraph graph, Object[] arguments) {
                throw new NoSuchMethodError("gone");
            }
        };

        private final String call;
        private final String message;

        Fault(String call, String message) {
            this.call = call;
            this.message = message;
        }

        /** The family does this instead of the right call. */
        abstract Object call(ShardGraph graph, Object[] arguments);

        private static Tensor attend(ShardGraph graph, int layer, Object[] arguments) {
            return graph.attention(
                    layer,
                    (Tensor) arguments[1],
                    (Tensor) arguments[2],
                    (Tensor) arguments[3],
                    (float) arguments[4]);
        }
    }

    private static boolean isRecurrent(int layer) {
        return model.adapter().shape().layers().get(layer) instanceof LayerState.Recurrent;
    }

    @ParameterizedTest
    @EnumSource
    void faultyFamilyIsRefusedAtLoadInOneLine(Fault fault) {
        VarveException refusal = refusal(fault.call, fault::call);

        assertEquals(VarveException.Kind.UNSUPPORTED_MODEL, refusal.kind());
        assertTrue(refusal.getMessage().contains(fault.message), refusal.getMessage());
        assertFalse(refusal.getMessage().contains("\n"), refusal.getMessage());
        assertTrue(
                refusal.getMessage()
                        .startsWith("plugin " + FaultyFamily.class.getName() + ": qwen35, layers"),
                refusal.getMessage());
    }

    /** The operator's own words name the tensor by what it was made from, not by a number. */
    @Test
    void mismatchedOperandsAreNamedByTheirWeight() {
        VarveException refusal =
                refusal(
                        "outputColumns",
                        (graph, arguments) -> {
                            Tensor all = (Tensor) arguments[0];
                            Tensor normed = graph.norm(all, "output_norm.weight", 1e-6f);
                            return graph.ops()
                                    .add(
                                            normed,
                                            graph.ops()
                                                    .view2d(
                                                            all,
                                                            all.ne(0) - 1,
                                                            all.ne(1),
                                                            all.nb(1),
                                                            0));
                        });

        assertTrue(
                refusal.getMessage().contains("build failed after output_norm.weight: ")
                        && refusal.getMessage().contains("output_norm.weight F32 ["),
                refusal.getMessage());
    }

    @Test
    void unusedBoundaryIsRefused() {
        int cut = model.cuts().getFirst();
        String weight = "blk." + cut + ".attn_norm.weight";

        VarveException refusal =
                refusal(
                        "boundary",
                        (graph, arguments) -> {
                            Tensor row = graph.weight(weight, TensorUse.ELEMENTWISE);
                            return graph.ops().repeat4d(row, row.ne(0), graph.tokens(), 1, 1);
                        });

        assertTrue(refusal.getMessage().contains("boundary was not called"), refusal.getMessage());
    }

    /** Loads the model, in two parts where the fault is about what lies between them. */
    private static VarveException refusal(String call, Instead instead) {
        SplitModel faulty =
                new SplitModel(
                        model.file(),
                        new FaultyFamily(model.adapter(), call, instead),
                        model.boundary(),
                        model.links());
        int cut = model.cuts().getFirst();
        int[] cuts = call.startsWith("boundary") ? new int[] {cut} : new int[0];
        List<String> devices = cuts.length == 0 ? List.of(HERE) : List.of(HERE, HERE);
        return assertThrows(
                VarveException.class,
                () ->
                        ShardChain.load(faulty, Cpu.F16, devices, cuts)
                                .shards()
                                .forEach(Shard::close));
    }

    /** Passes everything on to a real family but for one call. */
    private record FaultyFamily(LayerSplitAdapter family, String call, Instead instead)
            implements LayerSplitAdapter {
        @Override
        public ModelShape shape() {
            return family.shape();
        }

        @Override
        public List<LayerRange> align(List<LayerRange> ranges) {
            return family.align(ranges);
        }

        @Override
        public int boundaryLength(int layer) {
            return family.boundaryLength(layer);
        }

        @Override
        public TensorSelection tensors(LayerRange range) {
            return family.tensors(range);
        }

        @Override
        public ChatDialect chatDialect() {
            return family.chatDialect();
        }

        @Override
        public void build(ShardGraph graph, LayerRange range) {
            family.build(
                    (ShardGraph)
                            Proxy.newProxyInstance(
                                    ShardGraph.class.getClassLoader(),
                                    new Class<?>[] {ShardGraph.class},
                                    (proxy, method, arguments) -> {
                                        if (method.getName().equals(call)) {
                                            return instead.call(graph, arguments);
                                        }
                                        try {
                                            return method.invoke(graph, arguments);
                                        } catch (InvocationTargetException e) {
                                            throw e.getCause();
                                        }
                                    }),
                    range);
        }
    }
}
