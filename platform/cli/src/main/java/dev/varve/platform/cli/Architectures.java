package dev.varve.platform.cli;

import dev.varve.platform.draft.DraftFile;
import dev.varve.platform.plugin.PluginCatalog;

import java.util.Set;
import java.util.stream.Collectors;

/**
 * What files can be used for here.
 *
 * @param models architectures of models
 * @param assistants architectures of what guesses beside them, but for draft models
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
