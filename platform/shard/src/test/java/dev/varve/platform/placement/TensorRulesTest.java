package dev.varve.platform.placement;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.model.LayerRange;
import dev.varve.platform.setting.Setting;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

class TensorRulesTest {
    /** Layers 1 to 5 have experts. */
    private static final ExpertModel MODEL = new ExpertModel(6, 1);

    private static final DeviceReference CPU = DeviceReference.PROCESSOR;

    private static Placement place(TensorRule... rules) {
        return new TensorRules(List.of(rules)).apply(on("cuda:0"), MODEL);
    }

    private static Placement on(String device) {
        return Placement.single(DeviceReference.parse(device), MODEL.shape().allLayers());
    }

    private static TensorRules named(String text) {
        return new TensorRules(TensorRule.parseNamed(text));
    }

    /** Device of the experts of each layer that has some elsewhere, if all are on one device. */
    private static Map<Integer, String> layers(Placement placement) {
        Map<Integer, String> layers = new TreeMap<>();
        for (Placement.Part part : placement.parts()) {
            for (int layer = part.range().begin(); layer < part.range().end(); layer++) {
                String block = "blk." + layer + ".ffn_";
                Optional<String> device = part.tensors().deviceOf(block + "up_exps.weight");
                if (device.isPresent()
                        && device.equals(part.tensors().deviceOf(block + "down_exps.bias"))) {
                    layers.put(layer, device.get());
                }
            }
        }
        return layers;
    }

    private static TensorRule experts(TensorRule.Layers layers, DeviceReference device) {
        return new TensorRule.Experts(Setting.EXPERT_DEVICE, layers, device);
    }

    @Test
    void allExpertsMoveWithTheirBiasesAndNothingElse() {
        Placement placed = place(experts(new TensorRule.Layers.All(), CPU));

        Map<String, String> devices = placed.parts().getFirst().tensors().devices();
        assertEquals(5 * 4, devices.size());
        assertTrue(devices.keySet().stream().allMatch(name -> name.contains("_exps.")));
        assertTrue(placed.isSpread());
    }

    @Test
    void firstLayersCountDenseOnesAndNextLayersDoNot() {
        assertEquals(
                Map.of(1, "cpu:0", 2, "cpu:0"),
                layers(place(experts(new TensorRule.Layers.First(3), CPU))));
        assertEquals(
                Map.of(1, "cpu:0", 2, "cpu:0", 3, "cuda:1", 4, "hip:0", 5, "hip:0"),
                layers(
                        place(
                                experts(new TensorRule.Layers.Next(2), CPU),
                                experts(
                                        new TensorRule.Layers.Next(1),
                                        DeviceReference.local("cuda", 1)),
                                experts(
                                        new TensorRule.Layers.All(),
                                        DeviceReference.local("hip", 0)))));
    }

    /** Five of six layers have experts: 0.4 of them are two, and 0.01 is at least one. */
    @Test
    void shareCountsLayersWithExperts() {
        assertEquals(
                Map.of(1, "cpu:0", 2, "cpu:0", 3, "hip:0"),
                layers(
                        place(
                                experts(new TensorRule.Layers.NextShare(0.4), CPU),
                                experts(
                                        new TensorRule.Layers.NextShare(0.01),
                                        DeviceReference.local("hip", 0)))));
    }

    @Test
    void firstMatchingRuleCounts() {
        Placement placed = named("blk\\.2\\.=cuda:0,_exps=CPU").apply(on("cuda:0"), MODEL);

        assertEquals(Map.of(1, "cpu:0", 3, "cpu:0", 4, "cpu:0", 5, "cpu:0"), layers(placed));
    }

    @Test
    void biasesFollowTheirMatrix() {
        Map<String, String> devices =
                named("blk.1.ffn_down_exps.weight=cpu:0")
                        .apply(on("cuda:0"), MODEL)
                        .parts()
                        .getFirst()
                        .tensors()
                        .devices();

        assertEquals(
                Map.of(
                        "blk.1.ffn_down_exps.weight", "cpu:0",
                        "blk.1.ffn_down_exps.bias", "cpu:0"),
                devices);
    }

    @Test
    void devicesAreKnownWithoutAPlacement() {
        assertEquals(
                Map.of("blk.1.ffn_up_exps.weight", CPU),
                named("blk.1.ffn_up_exps=cpu:0").devices(MODEL));
        assertEquals(Map.of(), TensorRules.NONE.devices(MODEL));
    }

    @Test
    void deviceOfTheLayerHasNoEffect() {
        assertFalse(named("exps=CUDA0").apply(on("cuda:0"), MODEL).isSpread());
        assertFalse(named(".*=cuda:0").apply(on("cuda:0"), MODEL).isSpread());
    }

    @Test
    void eachShardCountsItsOwnTensors() {
        Placement two =
                Placement.of(
                        DeviceReference.parseList("cuda:0@process,cpu:0"),
                        List.of(new LayerRange(0, 3), new LayerRange(3, 6)));

        Placement placed = named("exps=cpu:0").apply(two, MODEL);

        assertEquals(Map.of(1, "cpu:0", 2, "cpu:0"), layers(placed));
        assertEquals("cpu:0@process", placed.parts().getFirst().other("cpu:0").toString());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "no_such=cpu:0         | no_such=cpu:0: no weight of the model has such a name",
                "attn_q=cpu:0          | blk.0.attn_q.weight cannot be on cpu:0",
                "blk\\.1\\.ffn=cpu:0   | blk.1.ffn_norm.weight cannot be on cpu:0",
            })
    void rulesThatDoNotFitTheModelAreRefused(String rules, String expected) {
        String message =
                assertThrows(
                                IllegalArgumentException.class,
                                () -> named(rules).apply(on("cuda:0"), MODEL))
                        .getMessage();

        assertTrue(message.startsWith(Setting.OVERRIDE_TENSOR + ": " + expected), message);
    }

    @Test
    void modelWithoutExpertsIsRefused() {
        TensorRules all =
                new TensorRules(
                        List.of(
                                new TensorRule.Experts(
                                        Setting.CPU_MOE, new TensorRule.Layers.All(), CPU)));

        String message =
                assertThrows(
                                IllegalArgumentException.class,
                                () -> all.apply(on("cuda:0"), new ExpertModel(6, 6)))
                        .getMessage();

        assertEquals(
                Setting.CPU_MOE + ": the model has no experts (architecture experts)", message);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "''              | expected REGEX=DEVICE, such as ffn_up_exps=cpu:0, found nothing",
                "ffn             | expected REGEX=DEVICE, such as ffn_up_exps=cpu:0, found ffn",
                "=cpu:0          | expected an expression before =",
                "ffn(=cpu:0      | ffn(: Unclosed group at character 4",
                "ffn=cpu:x       | expected a backend and a number",
                "ffn=auto:0      | auto:0: expected a device of the process that holds the layer",
                "ffn=cpu:0@process | cpu:0@process: expected a device of the process",
            })
    void malformedRulesAreRefused(String text, String expected) {
        String message =
                assertThrows(IllegalArgumentException.class, () -> TensorRule.parseNamed(text))
                        .getMessage();

        assertTrue(message.startsWith(expected), message);
    }

    @Test
    void expressionsMayContainCommas() {
        List<String> rules = new ArrayList<>();
        TensorRule.parseNamed("blk\\.[0-9]{1,2}\\.ffn=cpu:0,x=CUDA1,y=ROCm0")
                .forEach(rule -> rules.add(rule.toString()));

        assertEquals(List.of("blk\\.[0-9]{1,2}\\.ffn=cpu:0", "x=cuda:1", "y=hip:0"), rules);
    }

    @ParameterizedTest
    @CsvSource({
        "cpu:0=0",
        "cpu:0=",
        "cpu:0=x",
        "cpu:0=-1",
        "cpu:x=1",
        "cpu:0=0.0",
        "cpu:0=1.5",
        "cpu:0=.",
        "cpu:0=50%"
    })
    void malformedExpertDevicesAreRefused(String text) {
        assertThrows(IllegalArgumentException.class, () -> TensorRule.parseExperts(text));
    }

    @Test
    void expertDevicesAreForAllLayersOrSome() {
        assertEquals(experts(new TensorRule.Layers.All(), CPU), TensorRule.parseExperts("cpu:0"));
        assertEquals(
                experts(new TensorRule.Layers.Next(12), CPU), TensorRule.parseExperts("CPU=12"));
        assertEquals(
                experts(new TensorRule.Layers.NextShare(0.25), CPU),
                TensorRule.parseExperts("CPU=0.25"));
    }
}
