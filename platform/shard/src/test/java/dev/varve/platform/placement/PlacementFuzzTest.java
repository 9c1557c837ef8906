package dev.varve.platform.placement;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.From;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;

/** Whatever a person writes is read as it stands, or refused with a message. */
class PlacementFuzzTest {
    /**
     * Texts of the characters that devices and weights are made of, and a few that they are not.
     */
    @Provide
    Arbitrary<String> texts() {
        return Arbitraries.strings().withChars("cpu:0@,1.eE-+ auto\t٣process/unix").ofMaxLength(24);
    }

    @Provide
    Arbitrary<String> devices() {
        Arbitrary<String> site =
                Arbitraries.of("", "", "@process", "@unix:/run/a.sock", "@grpc:box:7700");
        return Arbitraries.of("cpu", "cuda", "vulkan", "npu-2")
                .flatMap(
                        backend ->
                                Arbitraries.integers()
                                        .between(0, 9)
                                        .flatMap(
                                                index ->
                                                        site.map(
                                                                where ->
                                                                        backend + ":" + index
                                                                                + where)));
    }

    @Property(tries = 2000)
    void deviceIsParsedExactlyOrRefused(@ForAll("texts") String text) {
        try {
            DeviceReference device = DeviceReference.parse(text);

            String written = device.toString();
            assertEquals(device, DeviceReference.parse(written), text);
            assertTrue(device.index() >= 0, text);
        } catch (IllegalArgumentException e) {
            assertTrue(e.getMessage().contains("found") || e.getMessage().contains("only"), text);
        }
    }

    @Property(tries = 2000)
    void deviceListIsParsedExactlyOrRefused(@ForAll("texts") String text) {
        try {
            List<DeviceReference> devices = DeviceReference.parseList(text);

            assertEquals(text.split(",", -1).length, devices.size(), text);
            String written =
                    devices.stream()
                            .map(DeviceReference::toString)
                            .collect(Collectors.joining(","));
            assertEquals(devices, DeviceReference.parseList(written), text);
        } catch (IllegalArgumentException e) {
            assertTrue(!e.getMessage().isBlank(), text);
        }
    }

    @Property(tries = 2000)
    void weightsAreParsedExactlyOrRefused(@ForAll("texts") String text) {
        try {
            switch (SplitRule.parse(text)) {
                case SplitRule.Equal() -> throw new AssertionError("nobody wrote equal: " + text);
                case SplitRule.Automatic() -> assertEquals("auto", text);
                case SplitRule.Weights(var values) -> {
                    assertEquals(text.split(",", -1).length, values.size(), text);
                    assertTrue(values.stream().allMatch(value -> value > 0), text);
                }
            }
        } catch (IllegalArgumentException e) {
            assertTrue(e.getMessage().startsWith("expected "), e.getMessage());
        }
    }

    @Property(tries = 500)
    void validDevicesRoundTrip(
            @ForAll @Size(min = 1, max = 6) List<@From("devices") String> names) {
        String list = String.join(",", names);

        List<DeviceReference> devices = DeviceReference.parseList(list);

        assertEquals(
                list,
                devices.stream().map(DeviceReference::toString).collect(Collectors.joining(",")));
    }

    @Property(tries = 500)
    void resolvedRequestIsUnchanged(
            @ForAll @Size(min = 1, max = 6) List<@From("devices") String> names,
            @ForAll ProcessGrouping grouping) {
        PlacementRequest request =
                new PlacementRequest(
                        DeviceReference.parseList(String.join(",", names)),
                        new SplitRule.Equal(),
                        grouping,
                        PeerAccess.THROUGH_HOST,
                        TensorRules.NONE);

        PlacementRequest once =
                request.resolve(
                        () -> {
                            throw new AssertionError("nothing is automatic");
                        });

        assertEquals(once, once.resolve(() -> "cpu"));
        assertEquals(
                request.devices().stream().map(DeviceReference::device).toList(),
                once.devices().stream().map(DeviceReference::device).toList());
        assertEquals(request.primary().device(), once.primary().device());
    }

    @Property(tries = 500)
    void automaticDevicesKeepTheFirstDeviceAndItsKind(@ForAll long seed) {
        Random random = new Random(seed);
        List<DeviceReference> local = new ArrayList<>();
        for (int i = 2 + random.nextInt(4); i > 0; i--) {
            local.add(
                    DeviceReference.local(
                            random.nextBoolean() ? "cuda" : "hip", random.nextInt(3)));
        }

        List<DeviceReference> grouped =
                new PlacementRequest(
                                local,
                                new SplitRule.Equal(),
                                ProcessGrouping.BY_BACKEND,
                                PeerAccess.THROUGH_HOST,
                                TensorRules.NONE)
                        .resolve(() -> "cpu")
                        .devices();

        String first = local.getFirst().backend();
        boolean oneBackend = local.stream().allMatch(each -> each.backend().equals(first));
        Map<Boolean, Integer> counts = new HashMap<>();
        for (DeviceReference device : grouped) {
            counts.merge(device.isLocal(), 1, Integer::sum);
            assertEquals(
                    device.isLocal(),
                    oneBackend
                            ? counts.get(true) == 1 && counts.size() == 1
                            : device.backend().equals(first),
                    "seed " + seed + ": " + grouped);
        }
        assertTrue(grouped.getFirst().isLocal(), "seed " + seed);
    }

    @Property(tries = 500)
    void weightsCutAtTheirCumulativeSums(
            @ForAll @Size(min = 1, max = 6) List<@IntRange(min = 1, max = 9) Integer> layers) {
        int all = layers.stream().mapToInt(Integer::intValue).sum();
        List<Double> weights = layers.stream().map(count -> count / 7.0).toList();

        List<Integer> sizes =
                LayerPartitioner.split(all, layers.size(), weights).stream()
                        .map(range -> range.end() - range.begin())
                        .toList();

        assertEquals(layers, sizes);
    }
}
