package dev.varve.platform.plugin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.api.backend.BackendOptions;
import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.backend.DeviceBackend;
import dev.varve.api.backend.DeviceBackendProvider;
import dev.varve.api.backend.DeviceInfo;
import dev.varve.api.backend.DeviceOptions;
import dev.varve.api.event.CacheListener;
import dev.varve.api.event.CacheListenerAddress;
import dev.varve.api.event.CacheListenerProvider;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.ChatDialect;
import dev.varve.api.model.LayerRange;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.api.model.ModelFamilyProvider;
import dev.varve.api.model.ModelOptions;
import dev.varve.api.model.ModelShape;
import dev.varve.api.model.PreTokenizer;
import dev.varve.api.model.ShardGraph;
import dev.varve.api.model.TensorSelection;
import dev.varve.api.snapshot.SnapshotStore;
import dev.varve.api.snapshot.SnapshotStoreProvider;
import dev.varve.api.snapshot.StoreAccess;
import dev.varve.api.snapshot.StoreSize;
import dev.varve.api.transport.Connection;
import dev.varve.api.transport.Listener;
import dev.varve.api.transport.TransportOptions;
import dev.varve.api.transport.TransportProvider;
import dev.varve.platform.shard.PluginProxyHandler;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.net.ConnectException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** Every call that the server makes into a plugin before anything is computed. */
class PluginCallsTest {
    private static final PluginOrigin ORIGIN =
            new PluginOrigin(Path.of("plugins/acme.jar"), "acme.all", Optional.empty());
    private static final String WHERE = "module acme.all (acme.jar): ";
    private static final BackendOptions OPTIONS = BackendOptions.packed(Path.of("cache"));
    private static final LayerRange RANGE = new LayerRange(0, 1);

    /** Answers every call of every service with what {@code answer} does. */
    private record Anything(Supplier<Object> answer)
            implements ModelFamilyProvider,
                    LayerSplitAdapter,
                    DeviceBackendProvider,
                    DeviceBackend {
        @SuppressWarnings("unchecked") // the tests never look at what is not there
        private <T> T get() {
            return (T) answer.get();
        }

        @Override
        public Set<String> architectures() {
            return get();
        }

        @Override
        public LayerSplitAdapter open(GgufFile model, ModelOptions options) {
            return get();
        }

        @Override
        public Map<String, PreTokenizer> preTokenizers() {
            return get();
        }

        @Override
        public ModelShape shape() {
            return get();
        }

        @Override
        public List<LayerRange> align(List<LayerRange> ranges) {
            return get();
        }

        @Override
        public int boundaryLength(int layer) {
            return this.<Integer>get();
        }

        @Override
        public TensorSelection tensors(LayerRange range) {
            return get();
        }

        @Override
        public void build(ShardGraph graph, LayerRange range) {
            answer.get();
        }

        @Override
        public ChatDialect chatDialect() {
            return get();
        }

        @Override
        public String name() {
            return get();
        }

        @Override
        public String ggmlVersion() {
            return get();
        }

        @Override
        public DeviceBackend open(BackendOptions options) {
            return get();
        }

        @Override
        public List<DeviceInfo> devices() {
            return get();
        }

        @Override
        public ComputeDevice open(int index, DeviceOptions options) {
            return get();
        }
    }

    /** A call, by the name that a message gives it. */
    private record Call(String name, VarveException.Kind kind, Caller caller) {
        /** Makes the call of a provider whose code does what {@code answer} does. */
        private interface Caller {
            Object call(Supplier<Object> answer);
        }

        Executable with(Supplier<Object> answer) {
            return () -> caller.call(answer);
        }
    }

    private static ModelFamilyProvider family(Supplier<Object> answer) {
        return PluginCalls.guard(PluginServiceKind.FAMILIES, new Anything(answer), ORIGIN);
    }

    private static DeviceBackendProvider backend(Supplier<Object> answer) {
        return PluginCalls.guard(PluginServiceKind.BACKENDS, new Anything(answer), ORIGIN);
    }

    private static LayerSplitAdapter adapter(Supplier<Object> answer) {
        return family(() -> new Anything(answer)).open(null, ModelOptions.defaults());
    }

    private static DeviceBackend devices(Supplier<Object> answer) {
        return backend(() -> new Anything(answer)).open(OPTIONS);
    }

    private static Call model(String name, Call.Caller caller) {
        return new Call(name, VarveException.Kind.UNSUPPORTED_MODEL, caller);
    }

    private static Call device(String name, Call.Caller caller) {
        return new Call(name, VarveException.Kind.UNAVAILABLE, caller);
    }

    static Stream<Call> calls() {
        return Stream.of(
                model("architectures", answer -> family(answer).architectures()),
                model("preTokenizers", answer -> family(answer).preTokenizers()),
                model("open", answer -> family(answer).open(null, ModelOptions.defaults())),
                model("shape", answer -> adapter(answer).shape()),
                model("align", answer -> adapter(answer).align(List.of())),
                model("tensors", answer -> adapter(answer).tensors(RANGE)),
                model("chatDialect", answer -> adapter(answer).chatDialect()),
                device("name", answer -> backend(answer).name()),
                device("ggmlVersion", answer -> backend(answer).ggmlVersion()),
                device("open", answer -> backend(answer).open(OPTIONS)),
                device("devices", answer -> devices(answer).devices()),
                device("open", answer -> devices(answer).open(0, DeviceOptions.automatic())));
    }

    @ParameterizedTest
    @MethodSource("calls")
    void unexpectedExceptionNamesThePluginAndTheCallAndIsTheCause(Call call) {
        IllegalStateException problem = new IllegalStateException("no luck");

        VarveException error = assertThrows(VarveException.class, call.with(throwing(problem)));

        assertEquals(
                WHERE
                        + Anything.class.getName()
                        + "."
                        + call.name()
                        + " fails: IllegalStateException: no luck",
                error.getMessage());
        assertSame(problem, error.getCause());
        assertEquals(call.kind(), error.kind());
    }

    @ParameterizedTest
    @MethodSource("calls")
    void nullNamesThePluginAndTheCall(Call call) {
        VarveException error = assertThrows(VarveException.class, call.with(() -> null));

        assertEquals(
                WHERE + Anything.class.getName() + "." + call.name() + " returned null",
                error.getMessage());
        assertEquals(call.kind(), error.kind());
    }

    @ParameterizedTest
    @MethodSource("calls")
    void reportedPluginErrorIsPropagatedUnchanged(Call call) {
        VarveException problem = new VarveException(VarveException.Kind.CORRUPT_FILE, "m.gguf: x");

        assertSame(problem, assertThrows(VarveException.class, call.with(throwing(problem))));
    }

    /** The server's own exceptions come through a family that records a graph. */
    @Test
    void recordingCallsAreNotGuarded() {
        ArrayIndexOutOfBoundsException problem = new ArrayIndexOutOfBoundsException(7);

        adapter(() -> null).build(null, RANGE);

        assertSame(
                problem,
                assertThrows(
                        ArrayIndexOutOfBoundsException.class,
                        () -> adapter(throwing(problem)).build(null, RANGE)));
    }

    @Test
    void moduleOfAGuardedObjectIsThePlugin() {
        assertEquals("acme.all", PluginProxyHandler.moduleOf(family(() -> null)));
        assertEquals("acme.all", PluginProxyHandler.moduleOf(adapter(() -> null)));
        assertEquals("acme.all", PluginProxyHandler.moduleOf(devices(() -> null)));
        assertEquals("java.base", PluginProxyHandler.moduleOf("text"));
        assertEquals(getClass().getName(), PluginProxyHandler.moduleOf(this));
    }

    @Test
    void incompatibleApiAndEndlessRecursionAreBlamedOnThePlugin() {
        for (Error problem :
                List.of(
                        new NoSuchMethodError("gone()"),
                        new StackOverflowError("deep"),
                        new AssertionError("odd"))) {
            VarveException error =
                    assertThrows(VarveException.class, () -> adapter(throwing(problem)).shape());

            assertSame(problem, error.getCause());
        }
    }

    @Test
    void exhaustedHeapIsNotBlamedOnThePlugin() {
        OutOfMemoryError problem = new OutOfMemoryError("heap");

        assertSame(
                problem,
                assertThrows(OutOfMemoryError.class, () -> adapter(throwing(problem)).shape()));
    }

    @Test
    void resultsAreReturnedUnchanged() {
        DeviceInfo info = new DeviceInfo("npu:0", "a device", 2, 1, false);
        List<DeviceInfo> infos = List.of(info);

        assertSame(infos, devices(() -> infos).devices());
        assertEquals(17, adapter(() -> 17).boundaryLength(0));
    }

    private static final class Net implements TransportProvider {
        private final Exception problem;

        private Net(Exception problem) {
            this.problem = problem;
        }

        @Override
        public String scheme() {
            return "net";
        }

        @Override
        public Connection connect(String address, TransportOptions options) throws IOException {
            return fail();
        }

        @Override
        public Listener listen(String address, TransportOptions options) throws IOException {
            return fail();
        }

        private <T> T fail() throws IOException {
            if (problem instanceof IOException e) {
                throw e;
            }
            throw (RuntimeException) problem;
        }
    }

    @Test
    void declaredExceptionsArePropagated() {
        ConnectException problem = new ConnectException("nobody there");
        TransportProvider net =
                PluginCalls.guard(PluginServiceKind.TRANSPORTS, new Net(problem), ORIGIN);

        assertSame(
                problem,
                assertThrows(
                        IOException.class, () -> net.connect("a", TransportOptions.defaults())));
        assertSame(
                problem,
                assertThrows(
                        IOException.class, () -> net.listen("a", TransportOptions.defaults())));
    }

    @Test
    void transportWithAnotherFailureIsNamed() {
        TransportProvider net =
                PluginCalls.guard(
                        PluginServiceKind.TRANSPORTS, new Net(new ClassCastException("x")), ORIGIN);

        VarveException error =
                assertThrows(
                        VarveException.class, () -> net.connect("a", TransportOptions.defaults()));

        assertEquals(
                WHERE + Net.class.getName() + ".connect fails: ClassCastException: x",
                error.getMessage());
        assertEquals(VarveException.Kind.UNAVAILABLE, error.kind());
    }

    /** A provider of stores whose stores do nothing but fail. */
    private static SnapshotStore store(Throwable problem) throws IOException {
        SnapshotStore failing = failing(SnapshotStore.class, problem);
        SnapshotStoreProvider stores =
                new SnapshotStoreProvider() {
                    @Override
                    public String name() {
                        return "acme";
                    }

                    @Override
                    public SnapshotStore open(Path path, StoreSize size, StoreAccess access) {
                        return failing;
                    }
                };
        return PluginCalls.guard(PluginServiceKind.STORES, stores, ORIGIN)
                .open(null, null, StoreAccess.READ);
    }

    private static <T> T failing(Class<T> type, Throwable problem) {
        return type.cast(
                Proxy.newProxyInstance(
                        type.getClassLoader(),
                        new Class<?>[] {type},
                        (proxy, method, arguments) -> {
                            throw problem;
                        }));
    }

    /** Callers of a store handle a failing disk, so a plugin's fault becomes an I/O failure. */
    @Test
    void faultyStoreIsReportedAsAFailingDisk() throws Exception {
        RuntimeException problem = new IllegalStateException("no luck");
        SnapshotStore store = store(problem);

        for (Executable call :
                List.<Executable>of(
                        () -> store.put(null, null),
                        () -> store.get(null, null),
                        () -> store.delete(null),
                        () -> store.keys(null),
                        store::close)) {
            IOException error = assertThrows(IOException.class, call);

            assertTrue(error.getMessage().startsWith(WHERE), error.getMessage());
            assertTrue(error.getMessage().endsWith("no luck"), error.getMessage());
            assertSame(problem, error.getCause());
        }
        assertThrows(VarveException.class, store::size);
    }

    @Test
    void diskErrorOfAStoreIsPropagatedUnchanged() throws Exception {
        IOException problem = new IOException("disk full");
        SnapshotStore store = store(problem);

        assertSame(problem, assertThrows(IOException.class, () -> store.put(null, null)));
    }

    @Test
    void failingListenerIsNamed() {
        CacheListener listener = failing(CacheListener.class, new AssertionError("odd"));
        CacheListenerProvider provider =
                new CacheListenerProvider() {
                    @Override
                    public String scheme() {
                        return "acme";
                    }

                    @Override
                    public CacheListener open(CacheListenerAddress address) {
                        return listener;
                    }
                };
        CacheListener opened =
                PluginCalls.guard(PluginServiceKind.CACHE_LISTENERS, provider, ORIGIN).open(null);

        for (Executable call : List.<Executable>of(() -> opened.heard(List.of()), opened::close)) {
            VarveException error = assertThrows(VarveException.class, call);

            assertTrue(error.getMessage().startsWith(WHERE), error.getMessage());
        }
    }

    /** Whatever a provider makes of {@code equals} is its own; maps and messages need these. */
    @Test
    void guardHasIdentityEqualityAndDescribesItsObject() {
        ModelFamilyProvider one = family(() -> null);
        ModelFamilyProvider two = family(() -> null);

        assertEquals(one, one);
        assertNotEquals(one, two);
        assertEquals(one.hashCode(), one.hashCode());
        assertEquals(Anything.class.getName() + " of module acme.all (acme.jar)", one.toString());
    }

    private static Supplier<Object> throwing(Throwable problem) {
        return () -> {
            if (problem instanceof Error error) {
                throw error;
            }
            throw (RuntimeException) problem;
        };
    }
}
