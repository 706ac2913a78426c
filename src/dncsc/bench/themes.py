"""Light and dark: what figures look like on either ground."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dncsc import plot


@dataclass(frozen=True)
class Theme:
    """Colours of ground and ink."""

    name: str
    ground: str
    ink: str
    faint: str

    def colour(self, i: int) -> tuple[float, ...]:
        """The i-th colour, light enough for a dark ground."""
        red, green, blue = plot.palette(i + 1)[i]
        if self.name == "dark":
            pale = max(0.0, 0.55 - (0.3 * red + 0.59 * green + 0.11 * blue))
            red, green, blue = (channel + pale * (1 - channel) for channel in (red, green, blue))
        return float(red), float(green), float(blue)

    def style(self) -> Any:
        """Matplotlib's settings, for a `with`."""
        from matplotlib import rc_context

        ink = ("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color")
        ground = ("figure.facecolor", "axes.facecolor", "savefig.facecolor")
        return rc_context(
            {
                **dict.fromkeys(ink, self.ink),
                **dict.fromkeys(ground, self.ground),
                "grid.color": self.faint,
                "axes.grid": True,
                "axes.axisbelow": True,
                "axes.spines.top": False,
                "axes.spines.right": False,
                "axes.titlesize": 10,
                "axes.xmargin": 0.07,
                "axes.ymargin": 0.08,
                "font.family": "DejaVu Sans",
                "font.size": 9,
                "legend.frameon": False,
            }
        )


THEMES = (Theme("light", "#ffffff", "#1f2937", "#e5e7eb"), Theme("dark", "#14181f", "#d7dce4", "#2b323d"))
