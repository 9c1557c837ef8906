package dev.varve.platform.cli;

import dev.varve.api.VarveException;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Lists the demo models and the model files of folders, without loading any. */
@Command(
        name = "models",
        description = {
            "Lists the demo models of the installation, and the model files (GGUF) of folders.",
            "Demo models are small models to try Varve. The first column shows the value for"
                + " --model; varve serve without --model serves the first demo model. A split model"
                + " is listed once, by its first part. An unusable file is listed with the reason."
        },
        customSynopsis = "varve models [--models FOLDER]... [--json]",
        footer = {
            "  varve models",
            "  varve models --models /srv/models",
            "  varve models --models /srv/models --json",
            "  varve serve --model demo:gemma4"
        })
final class ModelsCommand extends CliCommand {
    /** An entry of the list. */
    private sealed interface Listed {
        /** Value for {@code --model}. */
        String name();

        Path file();

        boolean demo();

        record Usable(String name, Path file, boolean demo, ModelSummary summary)
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

    @Option(names = "--json", description = "Print one JSON array.", order = 2)
    private boolean json;

    @Mixin private PluginOptions plugins;

    @Override
    int run() {
        List<Path> lookedIn = ModelSearchPath.given(folders, environment());
        List<Listed> demos = new ArrayList<>();
        for (DemoModel demo : DemoModel.values()) {
            demos.add(listed(demo));
        }
        List<List<Listed>> found = new ArrayList<>();
        for (Path folder : lookedIn) {
            found.add(
                    ModelSearchPath.models(folder).stream()
                            .map(file -> listed(file.toString(), file, false))
                            .toList());
        }
        Architectures served = Architectures.of(plugins.discover(environment()));
        if (json) {
            ArrayNode array = CliJson.array();
            demos.forEach(each -> describe(each, served, array.addObject()));
            found.forEach(list -> list.forEach(each -> describe(each, served, array.addObject())));
            out().println(CliJson.write(array));
            return 0;
        }
        out().println("Demo models in " + environment().modelsFolder() + ":");
        print(demos, served);
        for (int i = 0; i < lookedIn.size(); i++) {
            out().println();
            out().println("Models in " + lookedIn.get(i) + ":");
            print(found.get(i), served);
        }
        if (lookedIn.isEmpty()) {
            out().println();
            out().println(
                            "With --models FOLDER, the command also lists the model files of a"
                                    + " folder.");
        }
        return 0;
    }

    private Listed listed(DemoModel demo) {
        Path file = demo.file(environment());
        if (!Files.exists(file)) {
            return new Listed.Unusable(demo.reference(), file, true, "no such file");
        }
        return listed(demo.reference(), file, true);
    }

    private static Listed listed(String name, Path file, boolean demo) {
        try {
            return new Listed.Usable(name, file, demo, ModelSummary.of(file));
        } catch (VarveException e) {
            return new Listed.Unusable(name, file, demo, e.getMessage());
        }
    }

    private void print(List<Listed> models, Architectures served) {
        if (models.isEmpty()) {
            out().println("  none");
            return;
        }
        TextTable table = new TextTable();
        table.row("NAME", "ARCHITECTURE", "PARAMETERS", "SIZE", "CONTEXT", "WEIGHTS", "");
        for (Listed model : models) {
            switch (model) {
                case Listed.Usable(String name, _, _, ModelSummary summary) ->
                        table.row(
                                name,
                                architecture(summary.architecture(), served),
                                ModelSummary.count(summary.size().parameters()),
                                size(summary.size().fileBytes()),
                                summary.contextTokens().isPresent()
                                        ? Long.toString(summary.contextTokens().getAsLong())
                                        : "?",
                                summary.quantisation(),
                                summary.about()
                                        .description()
                                        .or(summary.about()::title)
                                        .orElse(""));
                case Listed.Unusable(String name, _, _, String reason) ->
                        table.line(name, "unusable: " + reason);
            }
        }
        table.lines("  ").forEach(out()::println);
    }

    private static String architecture(String name, Architectures served) {
        if (served.isDraft(name)) {
            return name + " (for --draft)";
        }
        return served.models().contains(name) ? name : name + " (no plugin)";
    }

    private static void describe(Listed model, Architectures served, ObjectNode entry) {
        entry.put("name", model.name())
                .put("file", model.file().toString())
                .put("demo", model.demo());
        switch (model) {
            case Listed.Usable(_, _, _, ModelSummary summary) -> {
                entry.put("usable", true)
                        .put("architecture", summary.architecture())
                        .put("served", served.models().contains(summary.architecture()))
                        .put("draft", served.isDraft(summary.architecture()))
                        .put("parameters", summary.size().parameters())
                        .put("file_bytes", summary.size().fileBytes())
                        .put("quantisation", summary.quantisation());
                summary.contextTokens().ifPresent(tokens -> entry.put("context_length", tokens));
                summary.about().title().ifPresent(title -> entry.put("title", title));
                summary.about().description().ifPresent(text -> entry.put("description", text));
            }
            case Listed.Unusable(_, _, _, String reason) ->
                    entry.put("usable", false).put("reason", reason);
        }
    }

    private static String size(long bytes) {
        double mebibytes = bytes / (double) (1L << 20);
        return mebibytes < 1000
                ? String.format(Locale.ROOT, "%.1f MiB", mebibytes)
                : String.format(Locale.ROOT, "%.1f GiB", mebibytes / 1024);
    }
}
