package dev.varve.platform.plan;

import dev.varve.api.backend.DeviceInfo;
import dev.varve.api.model.LayerRange;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.api.model.TensorSelection;
import dev.varve.api.model.TensorUse;
import dev.varve.platform.placement.DeviceReference;
import dev.varve.platform.placement.Placement;
import dev.varve.platform.runtime.ModelSettings;
import dev.varve.platform.setting.ByteCount;
import dev.varve.platform.setting.Setting;
import dev.varve.platform.shard.ExpertCacheShare;
import dev.varve.platform.shard.WeightLayout;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Describes in a table which weights of a model are where, why, and what that costs. */
final class PlacementTable {
    private static final String NONE = " without experts";
    private static final String SOME = " with the other experts";

    private static final Pattern LAYER = Pattern.compile("blk\\.([0-9]{1,6})\\..*");

    /** A line: bytes of some weights, where they are, and why. */
    private record Row(String device, String weights, long bytes, String reason) {}

    private final LayerSplitAdapter model;
    private final Function<DeviceReference, DeviceInfo> devices;
    private final ModelSettings settings;

    /**
     * @param devices properties of each device, including its free memory
     * @param settings with the size of the cache of experts, if they are streamed
     */
    PlacementTable(
            LayerSplitAdapter model,
            Function<DeviceReference, DeviceInfo> devices,
            ModelSettings settings) {
        this.model = model;
        this.devices = devices;
        this.settings = settings;
    }

    /** Returns the lines, in columns of the same width. */
    List<String> lines(Placement placement) {
        List<Row> rows = new ArrayList<>();
        placement.parts().forEach(part -> rows.addAll(rows(part)));
        int device = width(rows.stream().map(Row::device));
        int weights = width(rows.stream().map(Row::weights));
        List<String> lines = new ArrayList<>();
        for (Row row : rows) {
            lines.add(
                    "  "
                            + padded(row.device(), device)
                            + "  "
                            + padded(row.weights(), weights)
                            + String.format(Locale.ROOT, "  %9s  ", ByteCount.format(row.bytes()))
                            + row.reason());
        }
        return lines;
    }

    private static int width(Stream<String> texts) {
        return texts.mapToInt(String::length).max().orElse(0);
    }

    private static String padded(String text, int width) {
        return text + " ".repeat(width - text.length());
    }

    private List<Row> rows(Placement.Part part) {
        TensorSelection all = model.tensors(part.range());
        boolean streams = settings.computation().weights() == WeightLayout.STREAMED;
        List<String> others = part.tensors().others();
        long elsewhere = others.stream().mapToLong(name -> bytes(all, part, name)).sum();
        long own = ExpertCacheShare.denseBytes(all) + ExpertCacheShare.expertBytes(all) - elsewhere;
        List<Row> rows = new ArrayList<>();
        String layers = "layers " + text(part.range());
        if (streams) {
            rows.add(
                    new Row(
                            part.device().toString(),
                            layers + NONE,
                            ExpertCacheShare.denseBytes(all),
                            free(part.device()) + ": every token needs them"));
            rows.add(streamed(part, all));
            return rows;
        }
        boolean hasExperts =
                all.entries().stream()
                        .filter(entry -> entry.use() == TensorUse.EXPERT_MATMUL)
                        .anyMatch(
                                entry -> part.tensors().deviceOf(entry.tensor().name()).isEmpty());
        String experts = others.isEmpty() ? "" : hasExperts ? SOME : NONE;
        rows.add(new Row(part.device().toString(), layers + experts, own, free(part.device())));
        for (String name : others) {
            rows.add(elsewhere(part, all, name));
        }
        return rows;
    }

    private Row streamed(Placement.Part part, TensorSelection all) {
        long cache =
                ExpertCacheShare.of(model, part.range(), settings.computation().expertCacheBytes());
        return new Row(
                "file",
                "experts of layers " + text(part.range()),
                ExpertCacheShare.expertBytes(all),
                String.format(
                        Locale.ROOT,
                        "read when a token needs them; %s: %s of %s",
                        Setting.EXPERT_CACHE,
                        ByteCount.format(cache),
                        part.device()));
    }

    private Row elsewhere(Placement.Part part, TensorSelection all, String name) {
        return new Row(
                part.other(name).toString(),
                "experts of layers " + text(layers(part, name)),
                bytes(all, part, name),
                free(part.other(name)) + "; computed there, which is slower");
    }

    private String free(DeviceReference device) {
        return ByteCount.format(devices.apply(device).memoryFreeBytes()) + " free";
    }

    private static long bytes(TensorSelection all, Placement.Part part, String device) {
        return all.entries().stream()
                .filter(
                        entry ->
                                part.tensors()
                                        .deviceOf(entry.tensor().name())
                                        .filter(device::equals)
                                        .isPresent())
                .mapToLong(entry -> entry.tensor().bytes())
                .sum();
    }

    private static LayerRange layers(Placement.Part part, String device) {
        Collection<Integer> layers = new ArrayList<>();
        part.tensors()
                .devices()
                .forEach(
                        (name, other) -> {
                            Matcher matcher = LAYER.matcher(name);
                            if (other.equals(device) && matcher.matches()) {
                                layers.add(Integer.parseInt(matcher.group(1)));
                            }
                        });
        return layers.isEmpty()
                ? part.range()
                : new LayerRange(Collections.min(layers), Collections.max(layers) + 1);
    }

    private static String text(LayerRange range) {
        return range.begin() + " to " + (range.end() - 1);
    }
}
