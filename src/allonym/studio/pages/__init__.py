"""The pages of the studio: one module and one template each."""

from __future__ import annotations

from allonym.studio.pages import column, columns, data, hierarchies, hierarchy, method, result, words

PAGES = (data.PAGE, columns.PAGE, words.PAGE, method.PAGE, result.PAGE, column.PAGE, hierarchies.PAGE, hierarchy.PAGE)
