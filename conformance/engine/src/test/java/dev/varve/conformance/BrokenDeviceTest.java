package dev.varve.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.api.backend.BackendOptions;
import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.backend.ComputeDevice.Phase;
import dev.varve.api.backend.DeviceBackend;
import dev.varve.api.backend.DeviceBackendProvider;
import dev.varve.api.backend.DeviceInfo;
import dev.varve.api.backend.DeviceOptions;
import dev.varve.api.backend.RecurrentOperators;
import dev.varve.api.ggml.Graph;
import dev.varve.api.ggml.OperatorSample;
import dev.varve.conformance.RandomModel.Family;
import dev.varve.platform.check.CheckEffort;
import dev.varve.platform.check.CheckGroup;
import dev.varve.platform.check.CheckListener;
import dev.varve.platform.check.CheckResult;
import dev.varve.platform.check.CheckRunner;
import dev.varve.platform.check.CheckSetup;
import dev.varve.platform.check.CheckStatus;
import dev.varve.platform.check.CheckSteps;
import dev.varve.platform.check.CheckedModel;
import dev.varve.platform.check.DeviceChecks;
import dev.varve.platform.host.PluginSettings;
import dev.varve.platform.host.ShardProcessSettings;
import dev.varve.platform.placement.DeviceReference;
import dev.varve.platform.placement.PeerAccess;
import dev.varve.plugin.cpu.CpuBackendProvider;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/** The checks of {@code varve check} find the faults of a device, and name them. */
@Timeout(300)
class BrokenDeviceTest {
    @TempDir Path folder;

    private CheckSteps steps = CheckSteps.ALL;

    /** A backend {@code broken} that computes on the processor, except for its fault. */
    private record Backend(DeviceBackend processor, Fault fault)
            implements DeviceBackendProvider, DeviceBackend {
        @Override
        public String name() {
            return "broken";
        }

        @Override
        public String ggmlVersion() {
            return new CpuBackendProvider().ggmlVersion();
        }

        @Override
        public DeviceBackend open(BackendOptions options) {
            return this;
        }

        @Override
        public List<DeviceInfo> devices() {
            DeviceInfo info = processor.devices().getFirst();
            return List.of(
                    new DeviceInfo(
                            "broken:0",
                            info.description(),
                            info.memoryTotalBytes(),
                            info.memoryFreeBytes(),
                            true));
        }

        @Override
        public ComputeDevice open(int index, DeviceOptions options) {
            ComputeDevice device = processor.open(index, options);
            DeviceInfo info = devices().getFirst();
            return (ComputeDevice)
                    Proxy.newProxyInstance(
                            BrokenDeviceTest.class.getClassLoader(),
                            new Class<?>[] {ComputeDevice.class},
                            (_, method, arguments) ->
                                    switch (method.getName()) {
                                        case "info" -> info;
                                        case "columnProduct" -> Optional.empty();
                                        case "recurrentOperators" -> RecurrentOperators.NONE;
                                        case "compute" -> {
                                            fault.compute(
                                                    device,
                                                    (Graph) arguments[0],
                                                    (Phase) arguments[1]);
                                            yield null;
                                        }
                                        default -> call(device, method, arguments);
                                    });
        }

        private static Object call(ComputeDevice device, Method method, Object[] arguments)
                throws Throwable {
            try {
                return method.invoke(device, arguments);
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        }
    }

    /** How a device computes. */
    private interface Fault {
        void compute(ComputeDevice device, Graph graph, Phase phase);
    }

    /** Leaves out an operator, so that its result is what was in memory before. */
    private static Fault omitting(String operator) {
        return omitting(signature -> signature.startsWith(operator + " "));
    }

    /**
     * @param omitted chooses operators by their signature
     */
    private static Fault omitting(Predicate<String> omitted) {
        return (device, graph, phase) -> {
            int done = 0;
            for (int i = 0; i < graph.nodes(); i++) {
                Optional<String> signature = OperatorSample.signature(graph, i);
                if (signature.filter(omitted).isPresent()) {
                    if (done < i) {
                        device.compute(graph.range(done, i), phase);
                    }
                    done = i + 1;
                }
            }
            if (done < graph.nodes()) {
                device.compute(graph.range(done, graph.nodes()), phase);
            }
        };
    }

    private Map<String, CheckResult> check(Fault fault, CheckGroup... groups) throws Exception {
        return check(fault, DeviceReference.local("broken", 0), 0, groups);
    }

    private Map<String, CheckResult> check(
            Fault fault, DeviceReference device, int from, CheckGroup... groups) throws Exception {
        Path file = Family.QWEN35.odd(8).write(folder);
        DeviceBackend processor =
                new CpuBackendProvider()
                        .open(Cpu.plugins(file, folder).backendOptions(PeerAccess.THROUGH_HOST));
        PluginSettings plugins = Cpu.plugins(file, folder, new Backend(processor, fault));
        CheckSetup setup =
                new CheckSetup(
                        plugins,
                        ShardProcessSettings.none(),
                        List.of(new CheckedModel("qwen35", file, Optional.empty())),
                        CheckEffort.QUICK,
                        EnumSet.copyOf(Set.of(groups)),
                        OptionalInt.of(1),
                        steps,
                        folder);
        Map<String, CheckResult> results = new LinkedHashMap<>();
        new CheckRunner("broken:0", new Recorder(results), Duration.ofSeconds(10))
                .run(new DeviceChecks(setup, device).checks(from), from);
        return results;
    }

    private record Recorder(Map<String, CheckResult> results) implements CheckListener {
        @Override
        public void onBegin(int index, CheckGroup group, String name) {}

        @Override
        public void onResult(CheckResult result) {
            results.put(result.name(), result);
        }
    }

    private static CheckStatus status(Map<String, CheckResult> results, String name) {
        CheckResult result = results.get(name);
        assertFalse(result == null, () -> name + " is not among " + results.keySet());
        return result.verdict().status();
    }

    @Test
    void correctDeviceHasNoFaults() throws Exception {
        Map<String, CheckResult> results =
                check(
                        ComputeDevice::compute,
                        CheckGroup.DEVICE,
                        CheckGroup.MODELS,
                        CheckGroup.OPERATORS,
                        CheckGroup.COPIES,
                        CheckGroup.DECODING,
                        CheckGroup.BATCHES);

        assertTrue(
                results.values().stream().noneMatch(each -> each.verdict().status().isFault()),
                results::toString);
        assertEquals(CheckStatus.SKIPPED, status(results, "qwen35 with draft tokens"));
        assertEquals(CheckStatus.SKIPPED, status(results, "qwen35 on cpu:0,broken:0@process"));
    }

    @Test
    void checksOfADeviceThatHasDisappearedHaveAResult() throws Exception {
        Map<String, CheckResult> results =
                check(
                        ComputeDevice::compute,
                        DeviceReference.local("broken", 1),
                        3,
                        CheckGroup.MODELS);

        assertEquals(Set.of("checks from number 3"), results.keySet());
        CheckResult result = results.get("checks from number 3");
        assertEquals(CheckStatus.FAILED, result.verdict().status());
        assertTrue(result.verdict().found().contains("broken:1"), result::toString);
    }

    @Test
    void operatorWithWrongResultsIsNamed() throws Exception {
        Map<String, CheckResult> results =
                check(omitting("SILU"), CheckGroup.MODELS, CheckGroup.OPERATORS);

        assertEquals(CheckStatus.DIFFERS, status(results, "qwen35 on broken:0"));
        assertEquals(CheckStatus.DIFFERS, status(results, "qwen35 SILU, one sequence"));
        assertEquals(
                "differs in SILU", results.get("qwen35 operators, one sequence").verdict().found());
        assertEquals(CheckStatus.OK, status(results, "products with q8_0"));
    }

    @Test
    void missingCopyIsDetectedInEachCacheRow() throws Exception {
        Map<String, CheckResult> results = check(omitting("SET_ROWS"), CheckGroup.OPERATORS);

        assertEquals(CheckStatus.DIFFERS, status(results, "qwen35 operators, one sequence"));
        assertTrue(
                results.get("qwen35 operators, one sequence")
                        .verdict()
                        .found()
                        .contains("SET_ROWS"),
                results::toString);
    }

    @Test
    void throwingDeviceFailsEachCheckThatComputes() throws Exception {
        Map<String, CheckResult> results =
                check(
                        (_, _, _) -> {
                            throw new VarveException(
                                    VarveException.Kind.BACKEND_FAILED, "broken:0: lost");
                        },
                        CheckGroup.DEVICE,
                        CheckGroup.MODELS,
                        CheckGroup.COPIES);

        assertEquals(CheckStatus.OK, status(results, "backend"));
        assertEquals(CheckStatus.FAILED, status(results, "qwen35 on broken:0"));
        assertTrue(
                results.get("qwen35 on broken:0").verdict().found().contains("lost"),
                results::toString);
        assertEquals(CheckStatus.OK, status(results, "host and device, 32 MiB"));
    }

    /** Steps of checks, except those of one operator; they begin and end in turn. */
    private static final class Steps implements CheckSteps {
        private final String avoided;
        private final List<String> begun = new ArrayList<>();
        private boolean ended = true;

        Steps(String avoided) {
            this.avoided = avoided;
        }

        @Override
        public boolean begin(String step) {
            if (step.startsWith(avoided + " ")) {
                return false;
            }
            begun.add(step);
            ended = false;
            return true;
        }

        @Override
        public void end() {
            ended = true;
        }
    }

    @Test
    void anOperatorThatEndedAProcessIsComputedByTheProcessor() throws Exception {
        steps = new Steps("SILU");

        // The device would leave SILU out, so that operators behind it would get other operands.
        Map<String, CheckResult> results = check(omitting("SILU"), CheckGroup.OPERATORS);

        CheckResult result = results.get("qwen35 operators, one sequence");
        assertEquals(CheckStatus.OK, result.verdict().status(), result::toString);
        assertTrue(result.verdict().found().contains("that ended a process"), result::toString);
    }

    @Test
    void checksWhoseStepsAllEndedAProcessAreSkipped() throws Exception {
        steps =
                new CheckSteps() {
                    @Override
                    public boolean begin(String step) {
                        return step.startsWith("products of q8_0 with 1 ");
                    }

                    @Override
                    public void end() {}
                };

        Map<String, CheckResult> results = check(ComputeDevice::compute, CheckGroup.OPERATORS);

        assertEquals(CheckStatus.SKIPPED, status(results, "qwen35 operators, one sequence"));
        assertEquals(CheckStatus.SKIPPED, status(results, "products with q4_0"));
        assertEquals(CheckStatus.OK, status(results, "products with q8_0"));
        assertTrue(
                results.get("products with q8_0").verdict().found().contains("without 6 of 7"),
                results::toString);
    }

    @Test
    void rowsOfABatchWithOtherLogitsAreDetected() throws Exception {
        // SILU of 8 rows, or of one row of 8 sequences; chunks of prompts have more rows.
        Predicate<String> several =
                Pattern.compile("SILU \\w+ \\S+ (8|1/\\S+ 8)/.*").asMatchPredicate();

        Map<String, CheckResult> results = check(omitting(several), CheckGroup.BATCHES);

        assertEquals(CheckStatus.DIFFERS, status(results, "qwen35 exact rows auto"));
    }

    @Test
    void theOperatorThatEndsTheProcessBeganLast() throws Exception {
        Steps recorded = new Steps("none");
        Fault ending =
                (device, graph, phase) -> {
                    for (int i = 0; i < graph.nodes(); i++) {
                        if (OperatorSample.signature(graph, i)
                                .filter(text -> text.startsWith("SILU "))
                                .isPresent()) {
                            // The rest of the check is what a process that has ended does not do.
                            throw new VarveException(
                                    VarveException.Kind.BACKEND_FAILED, "broken:0: lost");
                        }
                    }
                    device.compute(graph, phase);
                };
        steps =
                new CheckSteps() {
                    @Override
                    public boolean begin(String step) {
                        return recorded.ended && recorded.begin(step);
                    }

                    @Override
                    public void end() {
                        recorded.end();
                    }
                };

        Map<String, CheckResult> results = check(ending, CheckGroup.OPERATORS);

        assertEquals(CheckStatus.FAILED, status(results, "qwen35 operators, one sequence"));
        assertTrue(recorded.begun.getLast().startsWith("SILU "), recorded.begun::toString);
        assertFalse(recorded.ended);
    }
}
