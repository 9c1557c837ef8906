package dev.varve.platform.cli;

import dev.varve.api.VarveException;
import dev.varve.platform.hub.HubCache;
import dev.varve.platform.hub.HubReference;
import dev.varve.platform.hub.HubSettings;
import dev.varve.platform.hub.ModelHub;
import dev.varve.platform.hub.PulledModel;
import dev.varve.platform.hub.UrlCache;

import java.io.PrintWriter;
import java.net.URI;
import java.nio.file.Path;
import java.util.Set;

/** Downloads models for commands and shows the progress on stderr. */
final class ModelDownloads {
    /** Folder of models from URLs in the cache folder. */
    private static final String FOLDER = "models";

    private final Environment environment;
    private final PrintWriter err;

    ModelDownloads(Environment environment, PrintWriter err) {
        this.environment = environment;
        this.err = err;
    }

    /**
     * Downloads what is missing or outdated of a model in a hub.
     *
     * @throws VarveException with the reason if that fails
     */
    PulledModel pull(HubReference reference, Set<ModelHub.Companion> companions)
            throws InterruptedException {
        try (DownloadProgress progress = DownloadProgress.of(err, environment);
                ModelHub hub = new ModelHub(settings(environment), progress)) {
            return hub.pull(reference, companions);
        }
    }

    /**
     * Downloads what is missing of the model of a URL.
     *
     * @throws VarveException with the reason if that fails
     */
    Path pull(URI uri) throws InterruptedException {
        try (DownloadProgress progress = DownloadProgress.of(err, environment);
                ModelHub hub = new ModelHub(settings(environment), progress)) {
            return hub.pull(uri, urls(environment));
        }
    }

    /** Downloads the model that a reference names, unless it is on this disk. */
    void pullMissing(ModelReference reference) throws InterruptedException {
        switch (reference) {
            case ModelReference.OfHub(HubReference model) -> {
                if (cache(environment).find(model).isEmpty()) {
                    pull(model, Set.of());
                }
            }
            case ModelReference.OfUrl url -> {
                if (!urls(environment).isDownloaded(url.uri())) {
                    pull(url.uri());
                }
            }
            case ModelReference.OfFile _, ModelReference.OfDemo _ -> {}
        }
    }

    /** The folder of models of hubs. */
    static HubCache cache(Environment environment) {
        return new HubCache(settings(environment).cache());
    }

    /** The folder of models from URLs. */
    static UrlCache urls(Environment environment) {
        return new UrlCache(environment.cacheFolder().resolve(FOLDER));
    }

    private static HubSettings settings(Environment environment) {
        try {
            return HubSettings.of(environment.variables());
        } catch (IllegalArgumentException e) {
            throw new UsageException(e.getMessage());
        }
    }
}
