package dev.varve.platform.host;

import static java.util.stream.Collectors.joining;

import dev.varve.api.backend.DeviceBackendProvider;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.LayerState;
import dev.varve.api.model.ModelShape;
import dev.varve.platform.digest.Sha256;
import dev.varve.platform.placement.DeviceReference;
import dev.varve.platform.placement.Placement;
import dev.varve.platform.plugin.PluginCatalog;
import dev.varve.platform.runtime.ComputeSettings;
import dev.varve.platform.runtime.ModelSettings;
import dev.varve.platform.shard.OpenedModel;
import dev.varve.platform.shard.lora.AdaptedModel;
import dev.varve.platform.shard.lora.LoraAdapter;
import dev.varve.platform.store.Namespace;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeSet;

/**
 * Namespace of cached prefixes: everything that changes their bits or their meaning, and nothing
 * else. It depends neither on the path of the model's file nor on the split.
 */
final class CacheNamespace {
    /** Version of the bytes of blocks and checkpoints. */
    private static final int FORMAT = 1;

    /** Fact that distinguishes namespaces and is omitted from readable output. */
    private static final String READING = "reading";

    private CacheNamespace() {}

    /**
     * Returns the namespace of a model.
     *
     * @param sharesBackends whether all backends and releases of ggml share it
     */
    static Namespace of(
            OpenedModel model,
            ModelSettings settings,
            Placement placement,
            PluginCatalog catalog,
            boolean sharesBackends) {
        Map<String, String> facts = new LinkedHashMap<>();
        GgufFile file = model.file();
        ComputeSettings computation = settings.computation();
        facts.put("format", Integer.toString(FORMAT));
        facts.put("architecture", file.architecture());
        facts.put("family", PluginDigest.ofFamily(catalog, file.architecture()));
        facts.put(READING, settings.reading().toString());
        facts.put("cache_types", computation.cacheTypes().toString());
        if (hasValuesInKeys(model.shape())) {
            // Earlier releases stored these values a second time.
            facts.put("value_rows", "in keys");
        }
        model.adapter()
                .contextVariant()
                .ifPresent(variant -> facts.put("context_variant", variant));
        String adapters = adapters(model);
        if (!adapters.isEmpty()) {
            facts.put("lora", adapters);
        }
        if (!sharesBackends) {
            facts.put("weights", computation.weights().toString());
            facts.put("numerics", computation.numerics().toString());
            facts.put("backends", backends(placement, catalog));
        }
        return new Namespace(digest(facts, file), described(facts, file));
    }

    /** Returns bytes that identify the adapters of a model; none if it has no adapters. */
    static byte[] variant(OpenedModel model) {
        return adapters(model).getBytes(StandardCharsets.UTF_8);
    }

    private static String adapters(OpenedModel model) {
        return AdaptedModel.adapters(model.adapter()).stream()
                .map(CacheNamespace::described)
                .collect(joining(", "));
    }

    /** Content and scale of an adapter. */
    private static String described(LoraAdapter adapter) {
        MessageDigest digest = Sha256.begin();
        ModelFingerprint.add(digest, adapter.file());
        return HexFormat.of().formatHex(digest.digest()) + " x " + adapter.scale();
    }

    private static boolean hasValuesInKeys(ModelShape shape) {
        return shape.layers().stream()
                .anyMatch(
                        state ->
                                state instanceof LayerState.Attention rows
                                        && rows.valueRows() == LayerState.ValueRows.IN_KEYS);
    }

    /** Lists the backends in an order that does not depend on the split. */
    private static String backends(Placement placement, PluginCatalog catalog) {
        TreeSet<String> names = new TreeSet<>();
        for (Placement.Part part : placement.parts()) {
            names.add(backend(part.device(), catalog));
            part.tensors()
                    .others()
                    .forEach(other -> names.add(backend(part.other(other), catalog)));
        }
        return String.join(", ", names);
    }

    private static String backend(DeviceReference device, PluginCatalog catalog) {
        String name = device.backend();
        DeviceBackendProvider provider = catalog.backends().get(name);
        // A shard on another host may use a backend that is not installed here.
        return provider == null ? name : name + " " + provider.ggmlVersion();
    }

    private static byte[] digest(Map<String, String> facts, GgufFile file) {
        MessageDigest digest = Sha256.begin();
        facts.forEach(
                (name, value) ->
                        digest.update(
                                (name + '\0' + value + '\0').getBytes(StandardCharsets.UTF_8)));
        ModelFingerprint.add(digest, file);
        return digest.digest();
    }

    private static Map<String, String> described(Map<String, String> facts, GgufFile file) {
        Map<String, String> shown = new LinkedHashMap<>();
        shown.put("model", file.path().getFileName().toString());
        file.metadata().findString("general.name").ifPresent(name -> shown.put("name", name));
        shown.putAll(facts);
        shown.remove(READING);
        return shown;
    }
}
