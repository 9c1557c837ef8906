package dev.varve.platform.http.model;

import dev.varve.platform.http.json.Json;
import dev.varve.platform.sampling.SamplingDefaults;
import dev.varve.platform.sampling.SamplingParameter;
import dev.varve.platform.sampling.SamplingValues;

import tools.jackson.databind.node.ObjectNode;

/** Writes sampling defaults as JSON. */
public final class SamplingReport {
    private SamplingReport() {}

    /** Returns the values that each level sets, and those that a request without fields gets. */
    public static ObjectNode levels(SamplingDefaults defaults) {
        ObjectNode levels = Json.object();
        put(levels.putObject("file"), defaults.file());
        put(levels.putObject("server"), defaults.server());
        putEffective(levels.putObject("effective"), defaults);
        return levels;
    }

    /** Adds all values that a request without fields gets. */
    public static void putEffective(ObjectNode out, SamplingDefaults defaults) {
        SamplingValues effective = defaults.effective();
        for (SamplingParameter parameter : SamplingParameter.values()) {
            put(out, parameter, effective.get(parameter));
        }
        effective.seed().ifPresent(seed -> out.put("seed", seed));
    }

    private static void put(ObjectNode out, SamplingValues values) {
        for (SamplingParameter parameter : SamplingParameter.values()) {
            values.find(parameter).ifPresent(value -> put(out, parameter, value));
        }
        values.seed().ifPresent(seed -> out.put("seed", seed));
    }

    private static void put(ObjectNode out, SamplingParameter parameter, double value) {
        if (parameter.isWhole()) {
            out.put(parameter.wireName(), (long) value);
        } else {
            out.put(parameter.wireName(), value);
        }
    }
}
