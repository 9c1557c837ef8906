package dev.varve.platform.cli;

import dev.varve.platform.plugin.LoadedPlugin;
import dev.varve.platform.plugin.PluginCatalog;
import dev.varve.platform.plugin.PluginServiceKind;
import dev.varve.platform.plugin.RejectedPlugin;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import java.util.Locale;

/** Lists plugins without loading any native code. */
@Command(
        name = "plugins",
        addMethodSubcommands = false,
        description = {
            "Lists plugins with their services, or why they are refused.",
            "The exit status is 1 if a plugin was refused."
        },
        footer = {"  varve plugins", "  varve plugins --plugins ./my-plugins --json"})
final class PluginsCommand extends CliCommand {
    @Mixin private PluginOptions plugins;

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    @Override
    int run() {
        PluginCatalog catalog = plugins.discover(environment());
        if (json) {
            out().println(CliJson.write(describe(catalog)));
            return status(catalog);
        }
        out().println("Plugins in " + plugins.folder(environment()) + ":");
        for (LoadedPlugin plugin : catalog.loaded()) {
            out().println(
                            String.format(
                                    Locale.ROOT,
                                    "  %s  %s %s  %s",
                                    plugin.file().getFileName(),
                                    plugin.module(),
                                    plugin.version().orElse("(no version)"),
                                    plugin.describeServices()));
        }
        for (RejectedPlugin plugin : catalog.rejected()) {
            out().println(
                            String.format(
                                    Locale.ROOT,
                                    "  %s  refused: %s",
                                    plugin.file().getFileName(),
                                    plugin.reason()));
        }
        if (catalog.loaded().isEmpty() && catalog.rejected().isEmpty()) {
            out().println("  none");
        }
        return status(catalog);
    }

    private static int status(PluginCatalog catalog) {
        return catalog.rejected().isEmpty() ? 0 : ExitStatus.FAILURE.code();
    }

    private static ObjectNode describe(PluginCatalog catalog) {
        ObjectNode result = CliJson.object();
        ArrayNode loaded = result.putArray("loaded");
        for (LoadedPlugin plugin : catalog.loaded()) {
            ObjectNode entry =
                    loaded.addObject()
                            .put("file", plugin.file().toString())
                            .put("module", plugin.module());
            plugin.version().ifPresent(version -> entry.put("version", version));
            for (PluginServiceKind<?> spi : PluginServiceKind.ALL) {
                ArrayNode names = entry.putArray(spi.key());
                plugin.services().names(spi).forEach(names::add);
            }
        }
        ArrayNode rejected = result.putArray("rejected");
        for (RejectedPlugin plugin : catalog.rejected()) {
            rejected.addObject()
                    .put("file", plugin.file().toString())
                    .put("reason", plugin.reason());
        }
        return result;
    }
}
