package dev.varve.platform.cli;

import dev.varve.api.VarveException;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.gguf.GgufTensor;
import dev.varve.api.gguf.GgufValue;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.platform.http.model.SamplingReport;
import dev.varve.platform.log.ControlCharacters;
import dev.varve.platform.plugin.PluginCatalog;
import dev.varve.platform.runtime.ModelSettings;
import dev.varve.platform.runtime.UnreadKeys;
import dev.varve.platform.runtime.UnusedTensors;
import dev.varve.platform.runtime.ZeroTensors;
import dev.varve.platform.sampling.FileSampling;
import dev.varve.platform.sampling.SamplingDefaults;
import dev.varve.platform.sampling.SamplingParameter;
import dev.varve.platform.sampling.SamplingValues;
import dev.varve.platform.setting.ByteCount;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.TreeMap;

/** Shows the contents of a model file. */
@Command(
        name = "inspect",
        addMethodSubcommands = false,
        description = {
            "Shows metadata and tensors of a model file, and the plugin for it.",
            "Long values are truncated; --json prints them in full."
        },
        footer = {
            "  varve inspect --model model.gguf",
            "  varve inspect --model model.gguf --tensors --json"
        })
final class InspectCommand extends CliCommand {
    @Mixin private ModelOption model;

    @Option(names = "--tensors", description = "List every tensor.")
    private boolean tensors;

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    @Mixin private SamplingArguments sampling;

    @Mixin private PluginOptions plugins;

    @Override
    int run() {
        SamplingValues flags = sampling.values();
        GgufFile file = GgufFile.open(choose(model).file());
        SamplingDefaults defaults =
                new SamplingDefaults(
                        FileSampling.read(file.metadata(), text -> err().println(oneLine(text))),
                        flags);
        PluginCatalog catalog = plugins.discover(environment());
        Verdict verdict = Verdict.of(file, catalog);
        if (json) {
            ObjectNode result = describe(file, verdict);
            ProjectorSummary.of(file, catalog)
                    .ifPresent(summary -> summary.describe(result.putObject("image_encoder")));
            result.set("sampling", SamplingReport.levels(defaults));
            out().println(CliJson.write(result));
        } else {
            print(file, verdict);
            ProjectorSummary.of(file, catalog)
                    .ifPresent(summary -> out().println(oneLine(summary.text())));
            printSampling(defaults);
        }
        return 0;
    }

    /**
     * Verdict of the model family on a file.
     *
     * @param served whether a plugin serves the architecture
     * @param problem why the model cannot be loaded
     * @param unused tensors that it would ignore, if it does not reject the file
     * @param unread a warning about keys that it would ignore
     */
    private record Verdict(
            boolean served,
            Optional<String> problem,
            Optional<UnusedTensors> unused,
            Optional<String> unread) {
        private static Verdict of(GgufFile file, PluginCatalog catalog) {
            String architecture = architecture(file);
            if (file.otherUse().isPresent()) {
                return new Verdict(false, file.otherUse(), Optional.empty(), Optional.empty());
            }
            if (!catalog.families().containsKey(architecture)) {
                return new Verdict(
                        false, unserved(architecture, catalog), Optional.empty(), Optional.empty());
            }
            try {
                LayerSplitAdapter adapter =
                        catalog.family(architecture, file.path())
                                .open(file, ModelSettings.defaults().modelOptions());
                return new Verdict(
                        true,
                        Optional.empty(),
                        Optional.of(UnusedTensors.of(file, adapter)),
                        UnreadKeys.of(file).warning());
            } catch (VarveException e) {
                return new Verdict(
                        true, Optional.of(e.getMessage()), Optional.empty(), Optional.empty());
            }
        }

        /** Draft models are not served themselves, but are no problem. */
        private static Optional<String> unserved(String architecture, PluginCatalog catalog) {
            return Architectures.of(catalog).isDraft(architecture)
                    ? Optional.empty()
                    : Optional.of(catalog.unknownArchitecture(architecture));
        }

        /** Lines for the user about problems and ignored parts. */
        private List<String> remarks() {
            List<String> remarks = new ArrayList<>();
            problem.ifPresent(reason -> remarks.add("The model cannot be loaded: " + reason));
            unread.ifPresent(remarks::add);
            unused.flatMap(UnusedTensors::warning).ifPresent(remarks::add);
            unused.map(UnusedTensors::notes).ifPresent(remarks::addAll);
            return remarks;
        }
    }

    /** Architecture of a file, or {@code none}: an importance matrix has none. */
    private static String architecture(GgufFile file) {
        return file.metadata().findString("general.architecture").orElse("none");
    }

    private void print(GgufFile file, Verdict verdict) {
        out().println(
                        String.format(
                                Locale.ROOT,
                                "%s: GGUF version %d, architecture %s (%s), %d tensors, %s",
                                file.path(),
                                file.version(),
                                oneLine(architecture(file)),
                                verdict.served() ? "served by a plugin" : "no plugin serves it",
                                file.tensors().size(),
                                ByteCount.format(file.tensorBytes())));
        if (file.parts().size() > 1) {
            file.parts().forEach(part -> out().println("  part " + part.getFileName()));
        }
        if (expertBytes(file) > 0) {
            out().println(
                            "Experts: "
                                    + ByteCount.format(expertBytes(file))
                                    + ", which --cpu-moe keeps in the processor's memory");
        }
        ZeroTensors.of(file).describe().ifPresent(text -> out().println(oneLine(text)));
        verdict.remarks().forEach(remark -> out().println(oneLine(remark)));
        out().println("Metadata:");
        for (String key : file.metadata().keys()) {
            GgufValue value = file.metadata().find(key).orElseThrow();
            out().println(
                            String.format(
                                    Locale.ROOT,
                                    "  %s (%s) = %s",
                                    oneLine(key),
                                    value.typeName(),
                                    oneLine(value.describe())));
        }
        out().println("Tensor types:");
        bytesByType(file)
                .forEach(
                        (type, bytes) ->
                                out().println(
                                                String.format(
                                                        Locale.ROOT,
                                                        "  %-8s %12s",
                                                        type,
                                                        ByteCount.format(bytes))));
        if (tensors) {
            out().println("Tensors:");
            file.tensors()
                    .forEach(
                            tensor ->
                                    out().println(
                                                    "  "
                                                            + oneLine(
                                                                    tensor.name()
                                                                            + " "
                                                                            + tensor.describe())));
        }
    }

    /** Bytes of the matrices of experts. */
    private static long expertBytes(GgufFile file) {
        return file.tensors().stream()
                .filter(tensor -> tensor.name().endsWith("_exps.weight"))
                .mapToLong(GgufTensor::bytes)
                .sum();
    }

    private void printSampling(SamplingDefaults defaults) {
        out().println("Sampling of requests that set none (file, server's flags, effective):");
        for (SamplingParameter parameter : SamplingParameter.values()) {
            out().println(
                            String.format(
                                    Locale.ROOT,
                                    "  %-18s %10s %10s %10s",
                                    parameter.wireName(),
                                    show(defaults.file().find(parameter)),
                                    show(defaults.server().find(parameter)),
                                    SamplingParameter.show(defaults.effective().get(parameter))));
        }
        out().println(
                        String.format(
                                Locale.ROOT,
                                "  %-18s %10s %10s %10s",
                                "seed",
                                "-",
                                show(defaults.server().seed(), "-"),
                                show(defaults.effective().seed(), "random")));
    }

    private static String show(OptionalLong value, String absent) {
        return value.isPresent() ? Long.toString(value.getAsLong()) : absent;
    }

    private static String show(OptionalDouble value) {
        return value.isPresent() ? SamplingParameter.show(value.getAsDouble()) : "-";
    }

    private ObjectNode describe(GgufFile file, Verdict verdict) {
        ObjectNode result =
                CliJson.object()
                        .put("file", file.path().toString())
                        .put("version", file.version())
                        .put("architecture", architecture(file))
                        .put("served", verdict.served())
                        .put("tensor_count", file.tensors().size())
                        .put("tensor_bytes", file.tensorBytes());
        ObjectNode metadata = result.putObject("metadata");
        for (String key : file.metadata().keys()) {
            GgufValue value = file.metadata().find(key).orElseThrow();
            metadata.putObject(key).put("type", value.typeName()).set("value", whole(value));
        }
        if (expertBytes(file) > 0) {
            result.put("expert_bytes", expertBytes(file));
        }
        ZeroTensors.of(file).describe().ifPresent(text -> result.put("zeros", text));
        verdict.problem().ifPresent(problem -> result.put("problem", problem));
        verdict.unused().ifPresent(unused -> put(result.putObject("unused_tensors"), unused));
        ObjectNode types = result.putObject("bytes_by_type");
        bytesByType(file).forEach(types::put);
        if (tensors) {
            ArrayNode list = result.putArray("tensors");
            for (GgufTensor tensor : file.tensors()) {
                ObjectNode entry =
                        list.addObject()
                                .put("name", tensor.name())
                                .put("type", tensor.type().ggufName())
                                .put("bytes", tensor.bytes());
                ArrayNode dimensions = entry.putArray("dimensions");
                tensor.dimensions().forEach(dimensions::add);
            }
        }
        return result;
    }

    private static void put(ObjectNode groups, UnusedTensors unused) {
        for (UnusedTensors.Reason reason : UnusedTensors.Reason.values()) {
            ObjectNode group = groups.putObject(reason.name().toLowerCase(Locale.ROOT));
            group.put("bytes", unused.bytes(reason));
            ArrayNode names = group.putArray("names");
            unused.tensors(reason).forEach(tensor -> names.add(tensor.name()));
        }
    }

    /**
     * Converts a value in full; numbers become strings, since not every JSON reader supports 64
     * bits.
     */
    private static JsonNode whole(GgufValue value) {
        ArrayNode array = CliJson.array();
        switch (value) {
            case GgufValue.Text text -> {
                return CliJson.text(text.value());
            }
            case GgufValue.Texts texts -> {
                for (int i = 0; i < texts.size(); i++) {
                    array.add(new String(texts.get(i), StandardCharsets.UTF_8));
                }
            }
            case GgufValue.Wholes wholes -> Arrays.stream(wholes.values()).forEach(array::add);
            case GgufValue.SmallWholes wholes -> Arrays.stream(wholes.values()).forEach(array::add);
            case GgufValue.Reals reals -> Arrays.stream(reals.values()).forEach(array::add);
            case GgufValue.Whole _, GgufValue.Real _, GgufValue.Bool _ -> {
                return CliJson.text(value.describe());
            }
        }
        return array;
    }

    private static Map<String, Long> bytesByType(GgufFile file) {
        Map<String, Long> bytes = new TreeMap<>();
        file.tensors()
                .forEach(
                        tensor -> bytes.merge(tensor.type().ggufName(), tensor.bytes(), Long::sum));
        return bytes;
    }

    /** Returns metadata as one line: control characters of the file must not reach the terminal. */
    private static String oneLine(String text) {
        return ControlCharacters.escape(text);
    }
}
