package dev.varve.bench.http;

import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;

/**
 * The figures of one round on one side. Figures that a round did not show are missing: an answer of
 * one chunk has no gap.
 */
record Sample(Map<Metric, Double> figures) {
    Sample {
        figures = Collections.unmodifiableMap(new EnumMap<>(figures));
    }
}
