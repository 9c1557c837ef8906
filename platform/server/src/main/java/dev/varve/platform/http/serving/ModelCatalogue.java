package dev.varve.platform.http.serving;

import java.util.List;

/** The models that there are at the moment. Thread-safe. */
@FunctionalInterface
public interface ModelCatalogue {
    /**
     * A cheap look. The first model is the default one; no two have the same id.
     *
     * @return equal stamps stand for the same file
     */
    List<ModelSource> models();
}
