package dev.varve.plugin.otlp.export;

import dev.varve.api.telemetry.FinishedSpan;
import dev.varve.api.telemetry.FinishedTrace;
import dev.varve.api.telemetry.TraceExporter;
import dev.varve.api.telemetry.TraceParent;
import dev.varve.api.telemetry.TraceTarget;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.common.AttributesBuilder;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.propagation.TextMapGetter;
import io.opentelemetry.exporter.otlp.http.trace.OtlpHttpSpanExporter;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.samplers.Sampler;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Converts finished spans to OpenTelemetry's, and sends them. The platform provides the queue and
 * the thread, so that none of the SDK's processors is needed.
 */
final class OtlpExporter implements TraceExporter {
    private static final String TRACEPARENT = "traceparent";
    private static final String TRACESTATE = "tracestate";

    private final OtlpHttpSpanExporter exporter;
    private final SpanCollection ended = new SpanCollection();
    private final SdkTracerProvider provider;
    private final Tracer tracer;
    private final long timeoutMillis;

    OtlpExporter(String url, TraceTarget target) {
        timeoutMillis = target.timeout().toMillis();
        exporter =
                OtlpHttpSpanExporter.builder()
                        .setEndpoint(url)
                        .setCompression("gzip")
                        .setHeaders(target::headers)
                        .setTimeout(target.timeout())
                        .setConnectTimeout(target.timeout())
                        .build();
        AttributesBuilder resource = Attributes.builder();
        target.resource().forEach(resource::put);
        provider =
                SdkTracerProvider.builder()
                        .setResource(Resource.getDefault().merge(Resource.create(resource.build())))
                        // The platform has already dropped traces that are not sampled.
                        .setSampler(Sampler.alwaysOn())
                        .addSpanProcessor(ended)
                        .build();
        tracer = provider.get("dev.varve");
    }

    @Override
    public void export(List<FinishedTrace> traces) throws IOException {
        for (FinishedTrace trace : traces) {
            make(trace.root(), trace.parent().map(OtlpExporter::context).orElse(Context.root()));
        }
        List<SpanData> spans = ended.take();
        CompletableResultCode result =
                exporter.export(spans).join(timeoutMillis, TimeUnit.MILLISECONDS);
        if (!result.isSuccess()) {
            String reason =
                    Optional.ofNullable(result.getFailureThrowable())
                            .map(OtlpExporter::words)
                            .orElse(
                                    result.isDone()
                                            ? "the collector refused them"
                                            : "no response within the time limit");
            throw new IOException("failed to export spans to the collector: " + reason);
        }
    }

    private static String words(Throwable failure) {
        return Optional.ofNullable(failure.getMessage()).orElse(failure.getClass().getSimpleName());
    }

    private static Context context(TraceParent parent) {
        Map<String, String> headers =
                Map.of(
                        TRACEPARENT,
                        "00-" + parent.traceId() + "-" + parent.spanId() + "-01",
                        TRACESTATE,
                        parent.state());
        return W3CTraceContextPropagator.getInstance()
                .extract(Context.root(), headers, new MapGetter());
    }

    /** Reads headers from a map. */
    private static final class MapGetter implements TextMapGetter<Map<String, String>> {
        @Override
        public String get(Map<String, String> headers, String key) {
            return headers == null ? null : headers.get(key);
        }
    }

    private void make(FinishedSpan finished, Context parent) {
        SpanBuilder builder =
                tracer.spanBuilder(finished.name())
                        .setParent(parent)
                        .setSpanKind(
                                switch (finished.kind()) {
                                    case SERVER -> SpanKind.SERVER;
                                    case INTERNAL -> SpanKind.INTERNAL;
                                })
                        .setStartTimestamp(finished.beginNanos(), TimeUnit.NANOSECONDS)
                        .setAllAttributes(attributes(finished.attributes()));
        Span span = builder.startSpan();
        finished.failure()
                .ifPresent(
                        reason ->
                                span.setStatus(StatusCode.ERROR, reason)
                                        .setAttribute("error.type", reason));
        Context here = parent.with(span);
        finished.children().forEach(child -> make(child, here));
        span.end(finished.endNanos(), TimeUnit.NANOSECONDS);
    }

    private static Attributes attributes(Map<String, Object> values) {
        AttributesBuilder attributes = Attributes.builder();
        values.forEach(
                (key, value) -> {
                    switch (value) {
                        case String text -> attributes.put(key, text);
                        case Long number -> attributes.put(key, number);
                        case Double number -> attributes.put(key, number);
                        case Boolean flag -> attributes.put(key, flag);
                        case List<?> list ->
                                attributes.put(
                                        AttributeKey.stringArrayKey(key),
                                        list.stream().map(String.class::cast).toList());
                        default ->
                                throw new AssertionError(
                                        "expected a text, number, boolean or list as attribute,"
                                                + " found "
                                                + value);
                    }
                });
        return attributes.build();
    }

    @Override
    public void close() {
        provider.close();
        exporter.close();
    }
}
