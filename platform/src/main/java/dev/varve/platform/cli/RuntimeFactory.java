package dev.varve.platform.cli;

import dev.varve.platform.runtime.ModelSettings;

/** Loads models for the commands. */
interface RuntimeFactory {
    /**
     * Loads a model.
     *
     * @param arguments the file, its device and plugins
     * @param settings sizes of context and caches
     * @throws dev.varve.api.VarveException if the file, its family or the device cannot be used
     */
    ModelRuntime open(
            ModelArguments arguments,
            ModelSettings settings,
            Environment environment,
            LoadWatcher watcher);
}
