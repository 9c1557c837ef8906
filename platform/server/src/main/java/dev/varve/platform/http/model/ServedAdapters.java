package dev.varve.platform.http.model;

import dev.varve.platform.http.json.ApiException;
import dev.varve.platform.http.json.RequestFields;
import dev.varve.platform.shard.lora.LoraScales;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * The LoRA adapters of a served model, and the scales of requests that name none. Operators change
 * these while the server runs. Safe for use by several threads.
 */
public final class ServedAdapters {
    /** Bound of scales in requests; useful ones are below 10. */
    private static final double MOST_SCALE = 1e6;

    private final List<Adapter> loaded;
    private volatile LoraScales usual = LoraScales.AS_LOADED;

    /**
     * A LoRA adapter.
     *
     * @param path file as the operator named it
     * @param scale factor of its changes
     */
    public record Adapter(String path, float scale) {}

    /** Makes the adapters of a model with the scales with which they were loaded. */
    public ServedAdapters(List<Adapter> loaded) {
        this.loaded = List.copyOf(loaded);
    }

    /** Returns the adapters by their ids from 0 on, with the scales of requests that name none. */
    public List<Adapter> current() {
        LoraScales scales = usual;
        List<Adapter> current = new ArrayList<>(loaded);
        for (int id = 0; id < scales.values().size(); id++) {
            current.set(id, new Adapter(loaded.get(id).path(), scales.values().get(id)));
        }
        return List.copyOf(current);
    }

    /** Returns the scales of requests that name none. */
    public LoraScales usual() {
        return usual;
    }

    /** Sets the scales of requests that name none and arrive later. */
    public void setUsual(LoraScales scales) {
        usual = scales;
    }

    /**
     * Reads scales in llama.cpp's format: {@code [{"id": 0, "scale": 0.5}]}. An adapter that is not
     * listed has scale 0.
     *
     * @param where name of the array in messages
     * @throws ApiException with status 400 if an id is unknown or listed twice, or if a scale is
     *     missing or no number
     */
    public LoraScales read(String where, JsonNode array) {
        List<ObjectNode> entries = RequestFields.objects(where, array);
        if (loaded.isEmpty() && !entries.isEmpty()) {
            throw ApiException.invalid(where, where + ": the model has no LoRA adapters");
        }
        List<Float> scales = new ArrayList<>(Collections.nCopies(loaded.size(), 0f));
        List<Integer> listed = new ArrayList<>();
        for (ObjectNode entry : entries) {
            RequestFields fields = RequestFields.at(where + "[" + listed.size() + "]", entry);
            int id = id(fields);
            if (listed.contains(id)) {
                throw ApiException.invalid(
                        fields.place("id"),
                        fields.place("id")
                                + ": expected each adapter once, found "
                                + id
                                + " again");
            }
            listed.add(id);
            fields.require("scale");
            scales.set(id, (float) fields.number("scale", -MOST_SCALE, MOST_SCALE).orElseThrow());
        }
        return LoraScales.of(scales, loaded.stream().map(Adapter::scale).toList());
    }

    private int id(RequestFields fields) {
        fields.require("id");
        return (int) fields.whole("id", 0, loaded.size() - 1).orElseThrow();
    }
}
