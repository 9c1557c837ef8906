package dev.varve.bench;

import dev.varve.api.backend.BackendOptions;
import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.backend.DeviceInfo;
import dev.varve.api.backend.DeviceOptions;
import dev.varve.api.backend.HostCores;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.api.model.ModelFamilyProvider;
import dev.varve.api.model.ModelOptions;
import dev.varve.platform.engine.GenerationEnd;
import dev.varve.platform.placement.DeviceReference;
import dev.varve.platform.placement.LayerRanges;
import dev.varve.platform.placement.LocalBackends;
import dev.varve.platform.placement.Placement;
import dev.varve.platform.remote.BoundaryType;
import dev.varve.platform.remote.ChildLink;
import dev.varve.platform.remote.LoadRequest;
import dev.varve.platform.remote.RemoteShard;
import dev.varve.platform.remote.ShardLaunch;
import dev.varve.platform.remote.ShardProtocol;
import dev.varve.platform.runtime.LoadedModel;
import dev.varve.platform.runtime.ModelSettings;
import dev.varve.platform.runtime.SplitPlan;
import dev.varve.platform.shard.ComputeUnit;
import dev.varve.platform.shard.LoadProgress;
import dev.varve.platform.shard.ModelRange;
import dev.varve.platform.shard.Shard;
import dev.varve.platform.shard.ShardOptions;
import dev.varve.platform.shard.local.LocalShard;
import dev.varve.platform.wire.unix.UnixTransport;
import dev.varve.plugin.cpu.CpuBackendProvider;
import dev.varve.plugin.gemma4.Gemma4Family;
import dev.varve.plugin.laguna.LagunaFamily;
import dev.varve.plugin.qwen35.Qwen35Family;

import java.io.PrintStream;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.stream.Stream;

/**
 * What a split costs: the speed of a model on several shards against the same model in one piece,
 * in pairs next to each other.
 *
 * <pre>
 * SplitBench [--model FILE] [--family qwen35] [--folder DIR] [--devices cpu:0,cpu:0@process]
 *            [--launcher dist/target/varve/bin/varve] [--threads 2] [-p 512] [-n 128] [--pairs 9]
 * </pre>
 */
public final class SplitBench {
    private static final long SETTLE_MILLIS = 400;
    private static final PrintStream OUT = System.out;

    private final Map<String, String> flags;
    private final DeviceOptions options;
    private final LocalBackends backends;
    private final Random random = new Random(5);

    private SplitBench(Map<String, String> flags) {
        this.flags = flags;
        int threads = Integer.parseInt(flags.getOrDefault("--threads", "2"));
        options = new DeviceOptions(OptionalInt.of(threads), OptionalInt.empty(), false);
        Path natives = Path.of(System.getProperty("varve.test.natives"));
        backends =
                new LocalBackends(
                        Map.of("cpu", new CpuBackendProvider()),
                        new BackendOptions(natives, Optional.of(natives), false));
    }

    /** Runs the benchmark. */
    public static void main(String... arguments) throws Exception {
        Map<String, String> flags = new HashMap<>();
        for (int i = 0; i + 1 < arguments.length; i += 2) {
            flags.put(arguments[i], arguments[i + 1]);
        }
        new SplitBench(flags).run();
        System.exit(0);
    }

    /** A model on its devices, with the queues of this process. */
    private record Loaded(LoadedModel model, Map<Boolean, ComputeDevice> devices)
            implements AutoCloseable {
        @Override
        public void close() {
            model.close();
            devices.values().forEach(ComputeDevice::close);
        }
    }

    private void run() throws Exception {
        GgufFile file = GgufFile.open(BenchModels.write(flags));
        ModelFamilyProvider family =
                Stream.of(new Qwen35Family(), new Gemma4Family(), new LagunaFamily())
                        .filter(each -> each.architectures().contains(file.architecture()))
                        .findFirst()
                        .orElseThrow();
        LayerSplitAdapter model = family.open(file, ModelOptions.defaults());
        int prompt = Integer.parseInt(flags.getOrDefault("-p", "512"));
        int decoded = Integer.parseInt(flags.getOrDefault("-n", "128"));
        ModelSettings settings = ModelSettings.single(Math.max(prompt, decoded) + 64);
        String devices = flags.getOrDefault("--devices", "cpu:0,cpu:0");
        Ratio prefill = new Ratio("prefill " + prompt);
        Ratio decode = new Ratio("decode " + decoded);
        try (Loaded whole = load(file, model, settings, "cpu:0");
                Loaded split = load(file, model, settings, devices)) {
            int vocabulary = model.shape().vocabularySize();
            for (int pair = -1;
                    pair < Integer.parseInt(flags.getOrDefault("--pairs", "9"));
                    pair++) {
                GenerationEnd one = ask(whole, prompt, 1, vocabulary);
                GenerationEnd other = ask(split, prompt, 1, vocabulary);
                GenerationEnd oneDecode = ask(whole, 1, decoded, vocabulary);
                GenerationEnd otherDecode = ask(split, 1, decoded, vocabulary);
                if (pair >= 0) {
                    prefill.add(other.prefillTokensPerSecond(), one.prefillTokensPerSecond());
                    decode.add(
                            otherDecode.decodeTokensPerSecond(), oneDecode.decodeTokensPerSecond());
                }
            }
            split.model().shards().forEach(OUT::println);
        }
        OUT.println(devices + " against cpu:0 (in the place of libllama)");
        OUT.println(prefill.describe());
        OUT.println(decode.describe());
    }

    private GenerationEnd ask(Loaded loaded, int prompt, int count, int vocabulary)
            throws Exception {
        Thread.sleep(SETTLE_MILLIS);
        int[] tokens = random.ints(prompt, 0, vocabulary).toArray();
        return Asked.submit(loaded.model().engine(), tokens, count).get();
    }

    private Loaded load(
            GgufFile file, LayerSplitAdapter model, ModelSettings settings, String list) {
        List<DeviceReference> on =
                Arrays.stream(list.split(",")).map(DeviceReference::parse).toList();
        Placement placement =
                Placement.of(
                        on,
                        LayerRanges.align(
                                        model,
                                        LayerRanges.split(model.shape().layerCount(), on.size()))
                                .ranges());
        boolean shared = on.stream().anyMatch(device -> !device.isLocal()) && on.size() > 1;
        Map<Boolean, ComputeDevice> devices = new HashMap<>();
        DeviceInfo cpu = backends.info(DeviceReference.local("cpu", 0));
        SplitPlan plan = SplitPlan.of(model, placement, device -> cpu, settings);
        LoadedModel loaded =
                LoadedModel.load(
                        file,
                        model,
                        plan,
                        (part, shardOptions, progress) ->
                                open(file, model, part, shardOptions, devices, shared),
                        settings,
                        LoadProgress.silent());
        return new Loaded(loaded, devices);
    }

    private Shard open(
            GgufFile file,
            LayerSplitAdapter model,
            Placement.Part part,
            ShardOptions shardOptions,
            Map<Boolean, ComputeDevice> devices,
            boolean shared) {
        if (part.device().isLocal()) {
            ComputeDevice device =
                    devices.computeIfAbsent(
                            shared,
                            sharing ->
                                    backends.openDevice(
                                            part.device(),
                                            new DeviceOptions(
                                                    options.threads(),
                                                    options.threadsBatch(),
                                                    sharing)));
            return LocalShard.load(
                    new ModelRange(file, model, part.range()),
                    device,
                    shardOptions,
                    LoadProgress.silent());
        }
        List<String> command =
                List.of(
                        flags.getOrDefault("--launcher", "dist/target/varve/bin/varve"),
                        "shard",
                        "--model",
                        file.path().toAbsolutePath().toString());
        ChildLink link =
                new ChildLink(
                        new ShardLaunch(
                                part.device().toString(), command, Map.of(), Optional.empty()),
                        new UnixTransport(),
                        ShardProtocol.wireOptions("bench"));
        return RemoteShard.open(
                new RemoteShard.Peer(
                        part.device().toString(), link, new ComputeUnit(HostCores.turn())),
                model,
                new LoadRequest(
                        LoadRequest.Model.of(file, model, ModelOptions.defaults()),
                        part.range(),
                        shardOptions,
                        new LoadRequest.Device(
                                part.device().device(),
                                new DeviceOptions(
                                        options.threads(), options.threadsBatch(), shared)),
                        BoundaryType.valueOf(flags.getOrDefault("--boundary", "F32"))),
                LoadProgress.silent());
    }
}
