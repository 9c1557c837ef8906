package dev.varve.platform.cli;

import dev.varve.api.VarveException;
import dev.varve.platform.hub.OtherModelFolders;
import dev.varve.platform.hub.PulledModel;
import dev.varve.platform.plugin.PluginCatalog;
import dev.varve.platform.setting.ByteCount;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Lists demo models, downloaded models and model files of folders, without loading any. */
@Command(
        name = "models",
        addMethodSubcommands = false,
        description = {
            "Lists demo models, downloaded models, and model files of folders.",
            "Demo models are small models to try Varve. The first column shows the value for"
                + " --model; varve serve without --model serves the first demo model. A split model"
                + " is listed once, by its first part. An unusable file is listed with the reason."
                + " FITS ON lists the devices whose free memory exceeds the file by a fifth; varve"
                + " plan computes the need."
        },
        customSynopsis = "varve models [--models FOLDER]... [--discover] [--json]",
        footer = {
            "  varve models",
            "  varve models --models /srv/models",
            "  varve models --models /srv/models --json",
            "  varve models --discover",
            "  varve serve --model demo:gemma4"
        })
final class ModelsCommand extends CliCommand {
    /** An entry of the list. */
    private sealed interface Listed {
        /** Value for {@code --model}. */
        String name();

        Path file();

        boolean demo();

        /**
         * @param sees whether it reads images without further flags
         */
        record Usable(String name, Path file, boolean demo, boolean sees, ModelSummary summary)
                implements Listed {}

        record Unusable(String name, Path file, boolean demo, String reason) implements Listed {}
    }

    @Option(
            names = "--models",
            paramLabel = "FOLDER",
            description =
                    "Folder whose model files to list, without subfolders; may be repeated (also: "
                            + ModelSearchPath.VARIABLE
                            + ").",
            order = 1)
    private List<Path> folders = List.of();

    @Option(
            names = "--discover",
            description =
                    "Also list the models of Ollama and LM Studio, which Varve can serve from their"
                            + " folders (read only).",
            order = 2)
    private boolean discover;

    @Option(names = "--json", description = "Print one JSON array.", order = 3)
    private boolean json;

    @Mixin private PluginOptions plugins;

    @Override
    int run() {
        // Checks the folders first: a name may be wrong.
        Map<String, List<Listed>> found = folders();
        Map<String, List<Listed>> sections = new LinkedHashMap<>();
        sections.put(
                "Demo models in " + environment().modelsFolder(),
                Arrays.stream(DemoModel.values()).map(this::listed).toList());
        sections.put(
                "Downloaded models in " + ModelDownloads.cache(environment()).root(), downloaded());
        sections.putAll(found);
        if (discover) {
            sections.putAll(discovered());
        }
        PluginCatalog catalog = plugins.discover(environment());
        Report report =
                new Report(
                        Architectures.of(catalog),
                        DeviceMemory.of(catalog, () -> plugins.backendOptions(environment())));
        if (json) {
            ArrayNode array = CliJson.array();
            sections.values()
                    .forEach(
                            list ->
                                    list.forEach(
                                            each -> describe(each, report, array.addObject())));
            out().println(CliJson.write(array));
        } else {
            sections.forEach((title, models) -> print(title, models, report));
            out().println(hint());
        }
        return 0;
    }

    private String hint() {
        return "varve pull downloads models"
                + (discover ? "" : "; --discover also lists those of Ollama and LM Studio")
                + (folders.isEmpty() ? "; --models FOLDER those of a folder." : ".");
    }

    private Map<String, List<Listed>> folders() {
        Map<String, List<Listed>> found = new LinkedHashMap<>();
        for (Path folder : ModelSearchPath.given(folders, environment())) {
            found.put(
                    "Models in " + folder,
                    ModelSearchPath.models(folder).stream()
                            .map(file -> listed(file.toString(), file))
                            .toList());
        }
        return found;
    }

    /** Models of hubs and URLs. */
    private List<Listed> downloaded() {
        List<Listed> models = new ArrayList<>();
        for (PulledModel model : ModelDownloads.cache(environment()).models(this::printMessage)) {
            models.add(listed(ModelReference.OfHub.PREFIX + model.reference(), model.file()));
        }
        models.addAll(ofUrls());
        return models;
    }

    private List<Listed> ofUrls() {
        List<Listed> models = new ArrayList<>();
        try {
            ModelDownloads.urls(environment())
                    .folders()
                    .forEach(
                            (url, folder) ->
                                    ModelSearchPath.models(folder).stream()
                                            .map(file -> listed(url, file))
                                            .forEach(models::add));
        } catch (VarveException e) {
            // Without a usable cache folder there are no models from URLs.
            printMessage(e.getMessage());
        }
        return models;
    }

    /** Models of other programs. */
    private Map<String, List<Listed>> discovered() {
        Map<String, List<Listed>> found = new LinkedHashMap<>();
        new OtherModelFolders(environment().variables())
                .models()
                .forEach(
                        (folder, models) ->
                                found.put(
                                        "Models of another program in " + folder,
                                        models.stream()
                                                .map(each -> listed(each, each.file()))
                                                .toList()));
        return found;
    }

    /** Lists the file as the value for {@code --model}, and the other program's name beside it. */
    private static Listed listed(OtherModelFolders.Found model, Path file) {
        return switch (listed(file.toString(), file)) {
            case Listed.Usable usable ->
                    new Listed.Usable(
                            usable.name(),
                            file,
                            false,
                            false,
                            usable.summary().titled(model.name()));
            case Listed.Unusable unusable ->
                    new Listed.Unusable(
                            unusable.name(), file, false, model.name() + ": " + unusable.reason());
        };
    }

    /** Architectures and device memory, from which columns are derived. */
    private record Report(Architectures served, DeviceMemory memory) {
        /** Devices that a served model fits on. */
        List<String> devices(ModelSummary summary) {
            return served.models().contains(summary.architecture())
                    ? memory.fitting(summary.size().fileBytes())
                    : List.of();
        }
    }

    private Listed listed(DemoModel demo) {
        Path file = demo.file(environment());
        if (!Files.exists(file)) {
            return new Listed.Unusable(demo.reference(), file, true, "no such file");
        }
        try {
            boolean sees = demo.projector(environment()).isPresent();
            return new Listed.Usable(demo.reference(), file, true, sees, ModelSummary.of(file));
        } catch (VarveException e) {
            return new Listed.Unusable(demo.reference(), file, true, e.getMessage());
        }
    }

    private static Listed listed(String name, Path file) {
        try {
            return new Listed.Usable(name, file, false, false, ModelSummary.of(file));
        } catch (VarveException e) {
            return new Listed.Unusable(name, file, false, e.getMessage());
        }
    }

    private void print(String title, List<Listed> models, Report report) {
        out().println(title + ":");
        if (models.isEmpty()) {
            out().println("  none");
            out().println();
            return;
        }
        TextTable table = new TextTable();
        table.row(
                "NAME",
                "ARCHITECTURE",
                "PARAMETERS",
                "SIZE",
                "CONTEXT",
                "WEIGHTS",
                "READS",
                "FITS ON",
                "");
        for (Listed model : models) {
            switch (model) {
                case Listed.Usable(String name, _, _, boolean sees, ModelSummary summary) ->
                        table.row(
                                name,
                                architecture(summary.architecture(), report.served()),
                                ModelSummary.count(summary.size().parameters()),
                                ByteCount.format(summary.size().fileBytes()),
                                summary.contextTokens().isPresent()
                                        ? Long.toString(summary.contextTokens().getAsLong())
                                        : "?",
                                summary.quantisation(),
                                sees ? "text, images" : "text",
                                String.join(",", report.devices(summary)),
                                summary.about()
                                        .description()
                                        .or(summary.about()::title)
                                        .orElse(""));
                case Listed.Unusable(String name, _, _, String reason) ->
                        table.line(name, "unusable: " + reason);
            }
        }
        table.lines("  ").forEach(out()::println);
        out().println();
    }

    private static String architecture(String name, Architectures served) {
        if (served.isDraft(name)) {
            return name + " (for --draft)";
        }
        return served.models().contains(name) ? name : name + " (no plugin)";
    }

    private static void describe(Listed model, Report report, ObjectNode entry) {
        entry.put("name", model.name())
                .put("file", model.file().toString())
                .put("demo", model.demo());
        switch (model) {
            case Listed.Usable(_, _, _, boolean sees, ModelSummary summary) -> {
                Architectures served = report.served();
                ArrayNode devices = entry.putArray("fits_on");
                report.devices(summary).forEach(devices::add);
                entry.put("usable", true)
                        .put("architecture", summary.architecture())
                        .put("served", served.models().contains(summary.architecture()))
                        .put("draft", served.isDraft(summary.architecture()))
                        .put("parameters", summary.size().parameters())
                        .put("file_bytes", summary.size().fileBytes())
                        .put("quantisation", summary.quantisation())
                        .put("images", sees);
                summary.contextTokens().ifPresent(tokens -> entry.put("context_length", tokens));
                summary.about().title().ifPresent(title -> entry.put("title", title));
                summary.about().description().ifPresent(text -> entry.put("description", text));
            }
            case Listed.Unusable(_, _, _, String reason) ->
                    entry.put("usable", false).put("reason", reason);
        }
    }
}
