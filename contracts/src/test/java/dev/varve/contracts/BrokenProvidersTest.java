package dev.varve.contracts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import dev.varve.api.VarveException;
import dev.varve.api.backend.BackendOptions;
import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.backend.DeviceBackend;
import dev.varve.api.backend.DeviceBackendProvider;
import dev.varve.api.backend.DeviceInfo;
import dev.varve.api.backend.DeviceOptions;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.ChatDialect;
import dev.varve.api.model.LayerRange;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.api.model.LayerState;
import dev.varve.api.model.ModelFamilyProvider;
import dev.varve.api.model.ModelOptions;
import dev.varve.api.model.ModelShape;
import dev.varve.api.model.ShardGraph;
import dev.varve.api.model.TensorSelection;
import dev.varve.api.model.TensorUse;
import dev.varve.api.transport.Connection;
import dev.varve.api.transport.TransportOptions;
import dev.varve.api.transport.TransportProvider;
import dev.varve.testkit.Qwen35Model;

import org.junit.jupiter.api.Test;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.Launcher;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** Providers that break one rule each fail the test of that rule, and no other one. */
class BrokenProvidersTest {
    // Transports

    private abstract static class Transport extends TransportContract {
        @Override
        protected String freeAddress(Path folder) {
            return "free";
        }

        @Override
        protected String deafAddress(Path folder) {
            return "deaf";
        }

        @Override
        protected List<String> malformedAddresses() {
            return List.of("A");
        }
    }

    /** A provider that nobody can type, and the service loader cannot make. */
    static final class ShoutingTransport extends Transport {
        private static final class Shouting extends MemoryTransport {
            @Override
            public String scheme() {
                return "MEMORY";
            }
        }

        @Override
        protected TransportProvider provider() {
            return new Shouting();
        }
    }

    @Test
    void untypableSchemeAndHiddenClassAreFound() {
        Set<String> failed = failed(ShoutingTransport.class);

        assertTrue(
                failed.containsAll(
                        Set.of(
                                "constructorIsCheap",
                                "schemeIsAStableWord",
                                "listenerAddressIsConnectable")),
                failed.toString());
    }

    /** Writes the first byte of each buffer twice, over the second. */
    public static final class Garbling extends MemoryTransport {
        @Override
        public Connection connect(String address, TransportOptions options) throws IOException {
            Connection connection = super.connect(address, options);
            return new Connection() {
                @Override
                public String peer() {
                    return connection.peer();
                }

                @Override
                public boolean sameHost() {
                    return connection.sameHost();
                }

                @Override
                public void read(ByteBuffer target) throws IOException {
                    connection.read(target);
                }

                @Override
                public void write(ByteBuffer... parts) throws IOException {
                    for (ByteBuffer part : parts) {
                        byte[] bytes = new byte[part.remaining()];
                        part.get(bytes);
                        if (bytes.length > 1) {
                            bytes[1] = bytes[0];
                        }
                        connection.write(ByteBuffer.wrap(bytes));
                    }
                }

                @Override
                public void close() {
                    connection.close();
                }
            };
        }
    }

    static final class GarblingTransport extends Transport {
        @Override
        protected TransportProvider provider() {
            return new Garbling();
        }
    }

    @Test
    void transportThatChangesBytesFailsTheByteChecks() {
        assertEquals(
                Set.of(
                        "readFillsOnlyTheRemainingBuffer",
                        "bothDirectionsTransferConcurrently",
                        "bytesArriveInOrderForAnyBuffers"),
                failed(GarblingTransport.class));
    }

    /** A transport that does not report a malformed address as a {@code VarveException}. */
    public static final class Trusting extends MemoryTransport {
        @Override
        public Connection connect(String address, TransportOptions options) throws IOException {
            try {
                return super.connect(address, options);
            } catch (VarveException e) {
                throw new IllegalArgumentException(e);
            }
        }
    }

    static final class TrustingTransport extends Transport {
        @Override
        protected TransportProvider provider() {
            return new Trusting();
        }
    }

    @Test
    void transportWithUnreadableErrorsFailsForMalformedAddresses() {
        assertEquals(Set.of("invalidAddressIsRefusedByBothSides"), failed(TrustingTransport.class));
    }

    // Backends

    /** A backend with one device that does not compute. */
    public static final class Idle implements DeviceBackendProvider {
        /** As the service loader makes it. */
        public Idle() {}

        @Override
        public String name() {
            return "idle";
        }

        @Override
        public String ggmlVersion() {
            return "newest";
        }

        @Override
        public DeviceBackend open(BackendOptions options) {
            return new DeviceBackend() {
                @Override
                public List<DeviceInfo> devices() {
                    return List.of(new DeviceInfo("idle:1", "a device", 1, 2, false));
                }

                @Override
                public ComputeDevice open(int index, DeviceOptions options) {
                    throw new VarveException(VarveException.Kind.OUT_OF_MEMORY, "no room");
                }
            };
        }
    }

    static final class IdleBackend extends DeviceBackendContract {
        @Override
        protected DeviceBackendProvider provider() {
            return new Idle();
        }

        @Override
        protected void loadBase() {}
    }

    @Test
    void backendThatBreaksItsContractFailsAllButTheNameChecks() {
        Set<String> failed = failed(IdleBackend.class);

        assertTrue(
                failed.containsAll(
                        Set.of(
                                "ggmlVersionIsNamed",
                                "devicesAreNumberedAndDescribed",
                                "missingDeviceIsRefusedByItsName",
                                "productsMatchAPlainLoop",
                                "closedDeviceRefusesWorkAndClosesTwice")),
                failed.toString());
        assertTrue(
                !failed.contains("nameIsAStableWord") && !failed.contains("constructorIsCheap"),
                failed.toString());
    }

    // Families

    /**
     * Serves the qwen35 architecture with layers that do nothing: it checks no tensor, forgets the
     * head when it is cut, and moves cuts to where there is none.
     */
    public static final class Careless implements ModelFamilyProvider {
        /** As the service loader makes it. */
        public Careless() {}

        @Override
        public Set<String> architectures() {
            return Set.of("qwen35");
        }

        @Override
        public LayerSplitAdapter open(GgufFile file, ModelOptions options) {
            int width = (int) file.metadata().integer("qwen35.embedding_length");
            return new LayerSplitAdapter() {
                @Override
                public ModelShape shape() {
                    LayerState state = new LayerState.FullAttention(1, 32, 32);
                    return new ModelShape(
                            "qwen35",
                            new ModelShape.Sizes(width, 100, 64),
                            List.of(state, state),
                            0);
                }

                @Override
                public List<LayerRange> align(List<LayerRange> ranges) {
                    return List.of(new LayerRange(0, 2));
                }

                @Override
                public TensorSelection tensors(LayerRange range) {
                    TensorSelection.Builder selection = new TensorSelection.Builder();
                    file.tensor("token_embd.weight")
                            .ifPresent(table -> selection.add(table, TensorUse.ROW_LOOKUP));
                    return selection.build();
                }

                @Override
                public void build(ShardGraph graph, LayerRange range) {
                    graph.embed("token_embd.weight");
                }

                @Override
                public ChatDialect chatDialect() {
                    return ChatDialect.plain();
                }
            };
        }
    }

    static final class CarelessFamily extends ModelFamilyContract {
        @Override
        protected ModelFamilyProvider provider() {
            return new Careless();
        }

        @Override
        protected List<Path> models(Path folder) throws IOException {
            return List.of(Qwen35Model.tiny().write(folder));
        }
    }

    @Test
    void familyWithoutChecksAndRecordingFails() {
        assertEquals(
                Set.of(
                        "missingTensorIsNamedUnlessItIsOptional",
                        "alignedRangesCoverTheSameLayersInOrder",
                        "everyRangeRecordsItsOperatorsOnceAndEndsOnce"),
                failed(CarelessFamily.class));
    }

    /** The names of the methods that fail. */
    static Set<String> failed(Class<?> contract) {
        Set<String> failed = new TreeSet<>();
        LauncherDiscoveryRequest request =
                LauncherDiscoveryRequestBuilder.request().selectors(selectClass(contract)).build();
        Launcher launcher = LauncherFactory.create();
        launcher.execute(
                request,
                new TestExecutionListener() {
                    @Override
                    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
                        if (result.getStatus() == TestExecutionResult.Status.FAILED) {
                            failed.add(test.getDisplayName().replace("()", ""));
                        }
                    }
                });
        return failed;
    }
}
