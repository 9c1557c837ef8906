package dev.varve.platform.cli;

import dev.varve.platform.draft.DraftFile;
import dev.varve.platform.plugin.PluginCatalog;

import java.util.Set;
import java.util.stream.Collectors;

/**
 * Architectures that the installed plugins can use.
 *
 * @param models architectures of models
 * @param assistants architectures of draft heads beside them, without draft models
 */
record Architectures(Set<String> models, Set<String> assistants) {
    static Architectures of(PluginCatalog catalog) {
        return new Architectures(
                catalog.families().keySet(),
                catalog.families().values().stream()
                        .flatMap(family -> family.assistants().stream())
                        .collect(Collectors.toSet()));
    }

    boolean isDraft(String name) {
        return DraftFile.isDraft(name) || assistants.contains(name);
    }
}
