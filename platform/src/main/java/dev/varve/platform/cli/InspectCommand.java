package dev.varve.platform.cli;

import dev.varve.api.gguf.GgufFile;
import dev.varve.api.gguf.GgufTensor;
import dev.varve.api.gguf.GgufValue;
import dev.varve.platform.plugin.PluginCatalog;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** Shows what a model file holds. */
@Command(
        name = "inspect",
        description =
                "Shows the metadata and the tensors of a model file, and whether a plugin serves"
                        + " it.",
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

    @Mixin private PluginOptions plugins;

    @Override
    int run() {
        GgufFile file = GgufFile.open(choose(model).file());
        PluginCatalog catalog = plugins.discover(environment());
        boolean served = catalog.families().containsKey(file.architecture());
        if (json) {
            out().println(Json.write(describe(file, served)));
        } else {
            print(file, served);
        }
        return 0;
    }

    private void print(GgufFile file, boolean served) {
        out().println(
                        String.format(
                                Locale.ROOT,
                                "%s: GGUF version %d, architecture %s (%s), %d tensors, %.2f GiB",
                                file.path(),
                                file.version(),
                                file.architecture(),
                                served ? "served by a plugin" : "no plugin serves it",
                                file.tensors().size(),
                                file.tensorBytes() / (double) (1L << 30)));
        if (file.parts().size() > 1) {
            file.parts().forEach(part -> out().println("  part " + part.getFileName()));
        }
        out().println("Metadata:");
        for (String key : file.metadata().keys()) {
            GgufValue value = file.metadata().find(key).orElseThrow();
            out().println(
                            String.format(
                                    Locale.ROOT,
                                    "  %s (%s) = %s",
                                    key,
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
                                                        "  %-8s %10.1f MiB",
                                                        type,
                                                        bytes / (double) (1L << 20))));
        if (tensors) {
            out().println("Tensors:");
            file.tensors()
                    .forEach(
                            tensor ->
                                    out().println("  " + tensor.name() + " " + tensor.describe()));
        }
    }

    private ObjectNode describe(GgufFile file, boolean served) {
        ObjectNode result =
                Json.object()
                        .put("file", file.path().toString())
                        .put("version", file.version())
                        .put("architecture", file.architecture())
                        .put("served", served)
                        .put("tensor_count", file.tensors().size())
                        .put("tensor_bytes", file.tensorBytes());
        ObjectNode metadata = result.putObject("metadata");
        for (String key : file.metadata().keys()) {
            GgufValue value = file.metadata().find(key).orElseThrow();
            metadata.putObject(key).put("type", value.typeName()).put("value", value.describe());
        }
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

    private static Map<String, Long> bytesByType(GgufFile file) {
        Map<String, Long> bytes = new TreeMap<>();
        file.tensors()
                .forEach(
                        tensor -> bytes.merge(tensor.type().ggufName(), tensor.bytes(), Long::sum));
        return bytes;
    }

    /** Metadata comes from the file: control characters in it must not reach the terminal. */
    private static String oneLine(String text) {
        return text.replace("\n", "\\n").replaceAll("\\p{Cntrl}", "?");
    }
}
