package dev.varve.platform.http.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SampleLineTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "varve_requests_waiting 0.0                 | varve_requests_waiting 0",
                "varve_weight_bytes 1.2345678901E10         | varve_weight_bytes 12345678901",
                "varve_steps_total 100.0                    | varve_steps_total 100",
                "varve_shard_up{shard=\"0\"} 1.0            | varve_shard_up{shard=\"0\"} 1",
                "x_bucket{le=\"+Inf\"} 3                    | x_bucket{le=\"+Inf\"} 3"
            })
    void countsAreWholeNumbers(String line, String expected) {
        assertEquals(expected, SampleLine.parse(line).toString());
    }

    @ParameterizedTest
    @CsvSource({
        "varve_kv_cache_usage_ratio 0.0, varve_kv_cache_usage_ratio 0.0",
        "varve_shard_forward_seconds_total 2.0, varve_shard_forward_seconds_total 2.0",
        "varve_queue_time_seconds_sum 0.0, varve_queue_time_seconds_sum 0.000000",
        "varve_queue_time_seconds_sum 1.23456789E-4, varve_queue_time_seconds_sum 0.000123"
    })
    void sharesAndTimesKeepTheirPoint(String line, String expected) {
        assertEquals(expected, SampleLine.parse(line).toString());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\'',
            value = {
                "a{code=\"200\",finish_reason=\"\",route=\"/\"} 1"
                        + " | a{route=\"/\",code=\"200\",finish_reason=\"\"} 1",
                "a{device=\"x,kind=\\\"}\\\\\",kind=\"kv\",shard=\"0\"} 1"
                        + " | a{shard=\"0\",device=\"x,kind=\\\"}\\\\\",kind=\"kv\"} 1",
                "a{device=\"b c\",shard=\"0\"} 1 | a{shard=\"0\",device=\"b c\"} 1"
            })
    void labelsKeepTheirOrderWhateverTheirValuesHold(String line, String expected) {
        assertEquals(expected, SampleLine.parse(line).toString());
    }
}
