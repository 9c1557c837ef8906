package dev.varve.plugin.otlp.export;

import io.opentelemetry.context.Context;
import io.opentelemetry.sdk.trace.ReadWriteSpan;
import io.opentelemetry.sdk.trace.ReadableSpan;
import io.opentelemetry.sdk.trace.SpanProcessor;
import io.opentelemetry.sdk.trace.data.SpanData;

import java.util.ArrayList;
import java.util.List;

/** Keeps the spans that ended until somebody takes them. For one thread. */
final class SpanCollection implements SpanProcessor {
    private List<SpanData> spans = new ArrayList<>();

    /** All that ended since the last time. */
    List<SpanData> take() {
        List<SpanData> taken = spans;
        spans = new ArrayList<>();
        return taken;
    }

    @Override
    public void onStart(Context parent, ReadWriteSpan span) {
        // Nothing is known of it yet.
    }

    @Override
    public boolean isStartRequired() {
        return false;
    }

    @Override
    public void onEnd(ReadableSpan span) {
        spans.add(span.toSpanData());
    }

    @Override
    public boolean isEndRequired() {
        return true;
    }
}
