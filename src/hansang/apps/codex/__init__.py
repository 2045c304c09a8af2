"""The data layer of a company site: categories, posts, banners, inquiries."""
